import type { AccountDetails } from '@animal-store/contract/admin';
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive } from '../database/lifetime.ts';
import { isOpen, listOpenBans } from '../database/open-bans.ts';
import { apiKeys, openBans } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** The condition that the ban of a key has not ended, and is what refuses its requests. */
const isFelt = and(isOpen, isActive(apiKeys), isNull(apiKeys.suspendedAt));

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

/** How many keys of accounts are banned now, by their names; none of an account without bans. */
export async function countBansOfAccounts(
  db: Database,
  names: string[],
): Promise<ReadonlyMap<string, number>> {
  return new Map((await countBans(db, names)).map(({ account, keys }) => [account, keys]));
}

/** The keys of an account that are banned now, those whose ban ends last first. */
export const listBansOfAccount = (
  db: Database,
  name: string,
  limit: number,
): Promise<AccountDetails['bans']> =>
  listOpenBans(db, limit, and(isFelt, eq(apiKeys.account, name)));
