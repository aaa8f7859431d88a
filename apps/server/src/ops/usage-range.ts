import {
  maxUsageBuckets,
  type UsageBucket,
  usageBucketSeconds,
} from '@animal-store/contract/admin';
import { HttpError } from '../http/http-error.ts';
import type { UsageQueries, UsageRange } from '../usage/usage-queries.ts';

/** How many buckets before its end a question begins, unless it says. */
export const usualBuckets: Readonly<Record<UsageBucket, number>> = {
  minute: 60,
  hour: 24,
  day: 30,
};

/** When a question about usage begins and ends, and its buckets. */
export interface UsageQuestion {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly bucket: UsageBucket;
}

/**
 * The whole buckets that a question is about.
 *
 * @throws {HttpError} that names every fault, if there is one.
 */
export function readUsageRange(question: UsageQuestion): UsageRange {
  const usual = usualBuckets[question.bucket];
  const { faults, range } = findUsageRange(question, { usual, max: maxUsageBuckets });
  refuse(faults);
  return range;
}

/**
 * What the ledger has of a subject in the time that a question is about.
 *
 * @throws {HttpError} as `readUsageRange`.
 */
export async function readLedger(
  usage: Pick<UsageQueries, 'read'>,
  subject: Parameters<UsageQueries['read']>[1],
  question: UsageQuestion,
) {
  const { bucket } = question;
  const range = readUsageRange(question);
  return { ...range, bucket, rows: await usage.read(bucket, subject, range) };
}

/** The whole buckets that a question is about, and what is wrong with them. */
export function findUsageRange(
  query: UsageQuestion,
  buckets: { readonly usual: number; readonly max: number },
): { range: UsageRange; faults: string[] } {
  const bucketMs = usageBucketSeconds[query.bucket] * 1_000;
  const end = query.to === undefined ? Date.now() : Date.parse(query.to);
  const to = Math.ceil(end / bucketMs) * bucketMs;
  const from =
    query.from === undefined
      ? to - buckets.usual * bucketMs
      : Math.floor(Date.parse(query.from) / bucketMs) * bucketMs;
  const count = (to - from) / bucketMs;
  const faults = [
    ...(count > 0 ? [] : ['from: expected a time before to']),
    ...(count <= buckets.max
      ? []
      : [
          `from: expected at most ${buckets.max} buckets of a ${query.bucket} before to, got ${count}`,
        ]),
  ];
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return { range, faults };
}

/** @throws {HttpError} that names every fault, if there is one. */
export function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new HttpError('invalid_request', faults.join('; '));
}
