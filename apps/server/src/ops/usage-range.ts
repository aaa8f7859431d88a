import {
  maxUsageBuckets,
  type UsageBucket,
  usageBucketSeconds,
} from '@animal-store/admin-contract';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { AdminError } from './admin-error.ts';
import type { AdminServices } from './admin-operation.ts';

/** How many buckets before its end a question begins, unless it says. */
const usualBuckets: Readonly<Record<UsageBucket, number>> = { minute: 60, hour: 24, day: 30 };

export interface UsageQuestion {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly bucket: UsageBucket;
}

/**
 * The whole buckets that a question is about.
 *
 * @param options.usual how many buckets before its end it begins, unless it says.
 * @param options.max how many buckets it may have.
 * @param options.faults what else is wrong with the question.
 * @throws {AdminError} that names every fault, if there is one.
 */
export function readUsageRange(
  { clock }: Pick<AdminServices, 'clock'>,
  { from, to, bucket }: UsageQuestion,
  options: { usual?: number; max?: number; faults?: string[] } = {},
) {
  const { usual = usualBuckets[bucket], max = maxUsageBuckets, faults = [] } = options;
  const bucketMs = usageBucketSeconds[bucket] * 1_000;
  const end = Math.ceil((to === undefined ? clock.now() : Date.parse(to)) / bucketMs);
  const start = from === undefined ? end - usual : Math.floor(Date.parse(from) / bucketMs);
  const count = end - start;
  if (count <= 0) faults.push('from: expected a time before to');
  if (count > max) {
    faults.push(`from: expected at most ${max} buckets of a ${bucket} before to, got ${count}`);
  }
  if (faults.length > 0) throw new AdminError('invalid_request', faults.join('; '));
  const at = (place: number) => new Date(place * bucketMs).toISOString();
  return { from: at(start), to: at(end), bucket };
}

/** What the ledger has of a subject in the time that a question is about. */
export async function readLedger(
  services: Pick<AdminServices, 'clock' | 'usage'>,
  subject: Parameters<UsageQueries['read']>[1],
  question: UsageQuestion,
  faults?: string[],
) {
  const range = readUsageRange(services, question, { ...(faults && { faults }) });
  return { ...range, rows: await services.usage.read(range.bucket, subject, range) };
}
