import {
  maxUsageBuckets,
  type UsageBucket,
  usageBucketSeconds,
} from '@animal-store/admin-contract';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { AdminError } from './admin-error.ts';
import type { AdminServices } from './admin-operation.ts';

/** The default number of buckets (minutes, hours or days) in a time range. */
const defaultBucketCounts: Readonly<Record<UsageBucket, number>> = {
  minute: 60,
  hour: 24,
  day: 30,
};

export interface UsageQuestion {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly bucket: UsageBucket;
}

/**
 * Returns the time range of a usage query, extended to whole buckets.
 *
 * @param options.defaultCount the default number of buckets.
 * @param options.max the largest number of buckets.
 * @param options.faults other faults of the query, which the error message also contains.
 * @throws {AdminError} if the query has faults. The message names all of them.
 */
export function readUsageRange(
  { clock, usageKeptMs }: Pick<AdminServices, 'clock' | 'usageKeptMs'>,
  { from, to, bucket }: UsageQuestion,
  options: { defaultCount?: number; max?: number; faults?: string[] } = {},
) {
  const {
    defaultCount = defaultBucketCounts[bucket],
    max = maxUsageBuckets,
    faults = [],
  } = options;
  const bucketMs = usageBucketSeconds[bucket] * 1_000;
  const end = Math.ceil((to === undefined ? clock.now() : Date.parse(to)) / bucketMs);
  const start = from === undefined ? end - defaultCount : Math.floor(Date.parse(from) / bucketMs);
  const count = end - start;
  if (count <= 0) faults.push('from: expected a time before now, because the query has no "to"');
  if (count > max) {
    faults.push(
      `from: expected a range of at most ${max} buckets (bucket=${bucket}), got ${count}`,
    );
  }
  if (faults.length > 0) throw new AdminError('invalid_request', faults.join('; '));
  const at = (place: number) => new Date(place * bucketMs).toISOString();
  const keptMs = { minute: usageKeptMs.minutes, hour: usageKeptMs.hours, day: usageKeptMs.days };
  const keptSince = new Date(clock.now() - keptMs[bucket]).toISOString();
  return { from: at(start), to: at(end), bucket, keptSince };
}

/** Reads the usage of an API key or of a group of keys in the time range of a query. */
export async function readLedger(
  services: Pick<AdminServices, 'clock' | 'usage' | 'usageKeptMs'>,
  subject: Parameters<UsageQueries['read']>[1],
  question: UsageQuestion,
  faults?: string[],
) {
  const range = readUsageRange(services, question, { ...(faults && { faults }) });
  return { ...range, rows: await services.usage.read(range.bucket, subject, range) };
}
