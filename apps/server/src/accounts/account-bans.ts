import type { AccountDetails } from '@animal-store/contract/admin';
import { and, desc, eq, gt, inArray, isNull, max, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive } from '../database/lifetime.ts';
import { apiKeys, openBans } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** The condition that the ban of a key has not ended, and is what refuses its requests. */
const isFelt = and(gt(openBans.until, sql`now()`), isActive(apiKeys), isNull(apiKeys.suspendedAt));

/** The end of the last ban of a key: it may have two, as replicas ban by themselves while Redis is away. */
const lastEnd = max(openBans.until);

const countBans = statement('count_bans_of_accounts', (db, names: string[]) =>
  db
    .select({
      account: sql<string>`${apiKeys.account}`,
      keys: sql<number>`count(distinct ${openBans.keyId})`.mapWith(Number),
    })
    .from(openBans)
    .innerJoin(apiKeys, eq(apiKeys.id, openBans.keyId))
    .where(and(isFelt, inArray(apiKeys.account, names)))
    .groupBy(apiKeys.account),
);

const listBans = statement('list_bans_of_account', (db, name: string, limit: number) =>
  db
    .select({
      keyId: openBans.keyId,
      name: apiKeys.name,
      until: sql<string>`${lastEnd}`.mapWith(openBans.until),
    })
    .from(openBans)
    .innerJoin(apiKeys, eq(apiKeys.id, openBans.keyId))
    .where(and(isFelt, eq(apiKeys.account, name)))
    .groupBy(openBans.keyId, apiKeys.name)
    .orderBy(desc(lastEnd))
    .limit(limit),
);

/** How many keys of accounts are banned now, by their names; none of an account without bans. */
export async function countBansOfAccounts(
  db: Database,
  names: string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  return new Map((await countBans(db, names)).map(({ account, keys }) => [account, keys]));
}

/** The keys of an account that are banned now, those whose ban ends last first. */
export const listBansOfAccount = (
  db: Database,
  name: string,
  limit: number,
): Promise<AccountDetails['bans']> => listBans(db, name, limit);
