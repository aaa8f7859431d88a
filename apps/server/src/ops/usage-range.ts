import {
  maxUsageBuckets,
  type UsageBucket,
  usageBucketSeconds,
} from '@animal-store/contract/admin';
import { HttpError } from '../http/http-error.ts';
import type { UsageQueries, UsageRange } from '../usage/usage-queries.ts';

/** How many buckets before its end a question begins, unless it says. */
const usualBuckets: Readonly<Record<UsageBucket, number>> = {
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
 * @param options.now Unix time in milliseconds.
 * @param options.usual how many buckets before its end it begins, unless it says.
 * @param options.max how many buckets it may have.
 * @param options.faults what else is wrong with the question.
 * @throws {HttpError} that names every fault, if there is one.
 */
export function readUsageRange(
  { from, to, bucket }: UsageQuestion,
  options: { now: number; usual?: number; max?: number; faults?: readonly string[] },
): UsageRange {
  const { now, usual = usualBuckets[bucket], max = maxUsageBuckets, faults = [] } = options;
  const bucketMs = usageBucketSeconds[bucket] * 1_000;
  const end = Math.ceil((to === undefined ? now : Date.parse(to)) / bucketMs);
  const start = from === undefined ? end - usual : Math.floor(Date.parse(from) / bucketMs);
  const count = end - start;
  const found = [...faults];
  if (count <= 0) found.push('from: expected a time before to');
  if (count > max) {
    found.push(`from: expected at most ${max} buckets of a ${bucket} before to, got ${count}`);
  }
  if (found.length > 0) throw new HttpError('invalid_request', found.join('; '));
  return {
    from: new Date(start * bucketMs).toISOString(),
    to: new Date(end * bucketMs).toISOString(),
  };
}

/**
 * What the ledger has of a subject in the time that a question is about.
 *
 * @param question.now Unix time in milliseconds.
 * @param question.faults what else is wrong with it.
 * @throws {HttpError} as `readUsageRange`.
 */
export async function readLedger(
  usage: Pick<UsageQueries, 'read'>,
  subject: Parameters<UsageQueries['read']>[1],
  question: UsageQuestion & { readonly now: number; readonly faults?: readonly string[] },
) {
  const { bucket, now, faults = [] } = question;
  const range = readUsageRange(question, { now, faults });
  return { ...range, bucket, rows: await usage.read(bucket, subject, range) };
}
