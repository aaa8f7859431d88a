import {
  maxUsageBuckets,
  type UsageBucket,
  usageBucketSeconds,
  usageContract,
} from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import { ApiError } from '../http/api-error.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import { operationAt, outcomeAt, planCode, totalId, totalIds } from '../usage/usage-entry.ts';
import type { UsageRepository } from '../usage/usage-repository.ts';
import { noSuchKey } from './key-handlers.ts';

/** How many buckets before its end a question begins, unless it says. */
const usualBuckets: Readonly<Record<UsageBucket, number>> = { minute: 60, hour: 24, day: 30 };

/** The operations on the usage ledger. */
export function createUsageHandlers(options: {
  keys: Pick<KeyManagement, 'find'>;
  usage: Pick<UsageRepository, 'read' | 'listBusiest'>;
}) {
  const { keys, usage } = options;

  return initServer().router(usageContract, {
    async getKeyUsage({ params: { keyId }, query }) {
      const range = readRange(query);
      if ((await keys.find(keyId)) === undefined) throw noSuchKey(keyId);
      const rows = await usage.read(query.bucket, [keyId], range.from, range.to);
      return {
        status: 200,
        body: { keyId, ...toBody(query.bucket, range), rows: rows.map(toRow) },
      };
    },

    async getUsage({ query }) {
      const range = readRange(query);
      const ids = query.plan === undefined ? totalIds : [totalId(planCode(query.plan))];
      const rows = await usage.read(query.bucket, ids, range.from, range.to);
      return { status: 200, body: { ...toBody(query.bucket, range), rows: rows.map(toRow) } };
    },

    async listBusiestKeys({ query: { plan, limit, ...query } }) {
      const day = query.day ?? new Date().toISOString().slice(0, 10);
      const keys = await usage.listBusiest(new Date(`${day}T00:00:00Z`), plan, limit);
      return { status: 200, body: { day, keys } };
    },
  });
}

interface Range {
  readonly from: Date;
  readonly to: Date;
}

/** The whole buckets that a question is about. */
function readRange(query: {
  from?: string | undefined;
  to?: string | undefined;
  bucket: UsageBucket;
}): Range {
  const bucketMs = usageBucketSeconds[query.bucket] * 1_000;
  const end = query.to === undefined ? Date.now() : Date.parse(query.to);
  const to = Math.ceil(end / bucketMs) * bucketMs;
  const from =
    query.from === undefined
      ? to - usualBuckets[query.bucket] * bucketMs
      : Math.floor(Date.parse(query.from) / bucketMs) * bucketMs;
  if (from >= to) throw new ApiError('invalid_request', 'from: expected a time before to');
  if ((to - from) / bucketMs > maxUsageBuckets) {
    throw new ApiError(
      'invalid_request',
      `from: expected at most ${maxUsageBuckets} buckets before to, got ${(to - from) / bucketMs}`,
    );
  }
  return { from: new Date(from), to: new Date(to) };
}

function toBody(bucket: UsageBucket, { from, to }: Range) {
  return { from: from.toISOString(), to: to.toISOString(), bucket };
}

function toRow(row: Awaited<ReturnType<UsageRepository['read']>>[number]) {
  const { at, operation, outcome, requests } = row;
  return {
    at: at.toISOString(),
    operation: operationAt(operation),
    outcome: outcomeAt(outcome),
    requests,
  };
}
