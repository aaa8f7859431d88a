import { deprecations } from '@animal-store/contract';
import { adminRoutes, deprecationContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { KeyManagement } from '../keys/key-management.ts';
import { isKeyPosition } from '../keys/key-search.ts';
import type { Clock } from '../shared/clock.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { linkNextPage, type PagedList, readCursor } from './admin-cursor.ts';
import { readLedger } from './usage-range.ts';

/** The operation on what will be switched off. */
export function createDeprecationHandlers(options: {
  clock: Pick<Clock, 'now'>;
  keys: Pick<KeyManagement, 'list'>;
  usage: Pick<UsageQueries, 'read' | 'readRecent'>;
}) {
  const { clock, keys, usage } = options;

  return initServer().router(deprecationContract, {
    async getDeprecation({ query: { deprecatedWithinDays, limit, cursor, ...question }, res }) {
      const filter = { deprecatedWithinDays };
      const list: PagedList = {
        path: adminRoutes.getDeprecation.path,
        limit,
        filter,
        isPosition: (position) => isKeyPosition(filter, position),
      };
      const position = readCursor(list, cursor);
      const [ledger, { items, next }] = await Promise.all([
        readLedger(usage, {}, { ...question, now: clock.now() }),
        keys.list(filter, limit, position),
      ]);
      linkNextPage(res, list, next);
      const recent = await usage.readRecent(
        items.map(({ id }) => id),
        clock.now(),
      );
      return {
        status: 200,
        body: {
          ...ledger,
          rows: ledger.rows.filter(({ operation }) => operation in deprecations),
          callers: items.map((key) => ({ ...key, recent: recent.get(key.id) })),
        },
      };
    },
  });
}
