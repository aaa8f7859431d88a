import type { KeyUsage, UsageBucket, UsageOutcome, UsageRow } from '@animal-store/admin-contract';
import { deprecations } from '@animal-store/contract/deprecations';

/** The labels of the outcomes of a request, in the order of plots and tables. */
export const outcomeLabels: Readonly<Record<UsageOutcome, string>> = {
  ok: 'OK',
  client_error: 'Client error (4xx)',
  server_error: 'Server error (5xx)',
  denied: 'Denied (429)',
  banned: 'Banned (429)',
  refused: 'Key refused (401, 403)',
};

export const outcomes = Object.keys(outcomeLabels) as readonly UsageOutcome[];

/** The names of the deprecated operations. */
export const deprecatedOperations: readonly string[] = Object.keys(deprecations);

/** The usage of a period: how many requests had which outcome, in buckets of equal length. */
export interface Ledger {
  readonly from: string;
  readonly to: string;
  readonly bucket: UsageBucket;
  readonly rows: readonly UsageRow[];
}

export const bucketMs: Readonly<Record<UsageBucket, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The number of requests with each outcome. */
export type Counts = Readonly<Record<UsageOutcome, number>>;

/** One bar of a plot: the requests of one minute, hour or day. */
export interface Bucket {
  readonly at: Date;
  readonly counts: Counts;
  readonly total: number;
}

/** Returns the buckets of a period, including buckets without requests. */
export function toBuckets({ from, to, bucket, rows }: Ledger): Bucket[] {
  const byTime = Map.groupBy(rows, ({ at }) => Date.parse(at));
  const buckets: Bucket[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += bucketMs[bucket]) {
    const counts = countByOutcome(byTime.get(at) ?? []);
    buckets.push({ at: new Date(at), counts, total: sumOf(counts) });
  }
  return buckets;
}

/** Returns whether at least one request has been counted in a window of the quota. */
export const isUsed = (windows: KeyUsage['windows']): boolean =>
  Object.values(windows).some(({ limit, remaining }) => remaining < limit);

export function countByOutcome(rows: readonly UsageRow[]): Counts {
  const none = Object.fromEntries(outcomes.map((outcome) => [outcome, 0]));
  const counts = none as Record<UsageOutcome, number>;
  for (const { outcome, requests } of rows) counts[outcome] += requests;
  return counts;
}

export const sumOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * The share of the limit that the highest bar must reach before the plot shows the limit line. If
 * the limit is much higher than the bars, a plot with the limit line would make the bars too low to
 * read.
 */
const nearLimit = 0.4;

/**
 * Returns the limit if the highest bar is near it. Otherwise, the plot is scaled to its bars and
 * has no limit line.
 */
export function visibleLimit(
  buckets: readonly Bucket[],
  limit: number | undefined,
): number | undefined {
  if (limit === undefined) return undefined;
  const highest = Math.max(0, ...buckets.map(({ total }) => total));
  return highest >= limit * nearLimit ? limit : undefined;
}

/** Returns the name of the CSS variable with the colour of an outcome. */
export const colourOf = (outcome: UsageOutcome): string => `outcome-${outcome.replace('_', '-')}`;
