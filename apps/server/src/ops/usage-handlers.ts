import { maxGroupedDays, type ServiceLedger, usageContract } from '@animal-store/contract/admin';
import type { ServerInferRequest } from '@ts-rest/core';
import { initServer } from '@ts-rest/express';
import type { KeyManagement } from '../keys/key-management.ts';
import type { Clock } from '../shared/clock.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { readLedger, readUsageRange } from './usage-range.ts';

/** How many keys an answer that is grouped by key shows, unless the question says. */
const usualKeys = 10;

/** The operations on the usage ledger. */
export function createUsageHandlers(options: {
  clock: Pick<Clock, 'now'>;
  keys: Pick<KeyManagement, 'find'>;
  usage: Pick<UsageQueries, 'read' | 'readBusiest'>;
}) {
  const { clock, keys, usage } = options;

  return initServer().router(usageContract, {
    async getKeyUsage({ params: { keyId }, query }) {
      const [ledger] = await Promise.all([
        readLedger(usage, { keyId }, { ...query, now: clock.now() }),
        keys.find(keyId),
      ]);
      return { status: 200, body: { keyId, ...ledger } };
    },

    async getUsage({ query }) {
      const read = query.groupBy === 'key' ? busiestKeys : allKeys;
      return { status: 200, body: await read(query) };
    },
  });

  async function allKeys(question: ServiceQuestion): Promise<ServiceLedger> {
    const { bucket = 'hour', limit, plan, account, ...query } = question;
    const faults =
      limit === undefined ? [] : [`limit: expected none without groupBy, got ${limit}`];
    const now = clock.now();
    return readLedger(usage, { plan, account }, { ...query, bucket, now, faults });
  }

  async function busiestKeys(question: ServiceQuestion): Promise<ServiceLedger> {
    // By the minute or the hour, no index holds the sums of keys.
    const bucket = 'day';
    const { bucket: asked = bucket, limit = usualKeys, plan, account, ...query } = question;
    const faults =
      asked === bucket ? [] : [`bucket: expected ${bucket} with groupBy, got ${asked}`];
    const range = readUsageRange(
      { ...query, bucket },
      { now: clock.now(), usual: 1, max: maxGroupedDays, faults },
    );
    return { ...range, bucket, ...(await usage.readBusiest({ plan, account }, range, limit)) };
  }
}

type ServiceQuestion = ServerInferRequest<typeof usageContract.getUsage>['query'];
