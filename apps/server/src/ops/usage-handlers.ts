import { adminRoutes, maxGroupedDays, usageContract } from '@animal-store/admin-contract';
import { deprecations } from '@animal-store/contract';
import { initServer } from '@ts-rest/express';
import type { AdminServices } from './admin-operation.ts';
import { readPage } from './read-page.ts';
import { readLedger, readUsageRange } from './usage-range.ts';

/** The default number of API keys in a response that is grouped by key. */
const defaultKeyCount = 10;

export function createUsageHandlers(services: AdminServices) {
  const { clock, keys, accounts, usage } = services;

  return initServer().router(usageContract, {
    async getKeyUsage({ params: { keyId }, query }) {
      const [ledger] = await Promise.all([
        readLedger(services, { keyId }, query),
        keys.find(keyId),
      ]);
      return { status: 200, body: { keyId, ...ledger } };
    },

    async getUsage({ query: { groupBy, bucket, limit, plan, account, ...query } }) {
      const filter = await accounts.resolveFilter({ plan, account });
      if (groupBy === undefined) {
        const faults = limit
          ? [`limit: expected no limit, because the query has no groupBy, got ${limit}`]
          : [];
        const question = { ...query, bucket: bucket ?? ('hour' as const) };
        return { status: 200, body: await readLedger(services, filter, question, faults) };
      }
      // Usage can be grouped by API key only for whole days. For minutes and hours, no index
      // contains the number of requests of each key.
      const isUnsupportedBucket = bucket !== undefined && bucket !== 'day';
      const faults = isUnsupportedBucket
        ? [`bucket: expected day, because the query has groupBy, got ${bucket}`]
        : [];
      const range = readUsageRange(
        services,
        { ...query, bucket: 'day' },
        { defaultCount: 1, max: maxGroupedDays, faults },
      );
      const busiest = await usage.readBusiest(filter, range, limit ?? defaultKeyCount);
      return { status: 200, body: { ...range, ...busiest } };
    },

    async getDeprecation({ query: { deprecatedWithinDays, limit, cursor, ...question }, res }) {
      const filter = { deprecatedWithinDays };
      const list = {
        path: adminRoutes.getDeprecation.path,
        limit,
        filter,
      };
      const [ledger, callers] = await Promise.all([
        readLedger(services, {}, question),
        readPage(res, list, { cursor }, { find: (from) => keys.list(filter, limit, from) }),
      ]);
      const rows = ledger.rows.filter(({ operation }) => operation in deprecations);
      const body = { ...ledger, rows, callers: await usage.addRecent(callers, clock.now()) };
      return { status: 200, body };
    },
  });
}
