import {
  type Account,
  type AccountDetails,
  adminErrorMessages,
} from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { and, count, eq, inArray, isNull, sql } from 'drizzle-orm';
import { isInForce, listOpenBans } from '../bans/current-bans.ts';
import { quotaOf } from '../keys/api-key.ts';
import { findStoredAccount, type StoredAccount } from '../keys/key-account.ts';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import { isActive } from '../schema/lifetime.ts';
import { accounts, apiKeys, openBans } from '../schema/schema.ts';
import { toSuspension } from '../schema/suspension.ts';

const findAccounts = statement('find_accounts', (db, names: string[]) =>
  db.select().from(accounts).where(inArray(accounts.name, names)),
);

const countKeys = statement('count_keys_of_accounts', (db, names: string[]) =>
  db
    .select({ name: apiKeys.account, keys: count() })
    .from(apiKeys)
    .where(and(inArray(apiKeys.account, names), isActive(apiKeys)))
    .groupBy(apiKeys.account),
);

const findAnyKey = statement('find_key_of_account', (db, name: string) =>
  db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.account, name)).limit(1),
);

/**
 * Reads accounts in the order of the given names. A name without a stored row is returned as an
 * account without a plan.
 */
export async function readAccounts(db: Database, names: string[]): Promise<Account[]> {
  if (names.length === 0) return [];
  const stored = new Map((await findAccounts(db, names)).map((row) => [row.name, row]));
  const keys = new Map((await countKeys(db, names)).map((row) => [row.name, row.keys]));
  return names.map((name) => toAccount(name, stored.get(name), keys.get(name)));
}

/** Returns a stored account together with the number of its API keys. */
export async function completeAccount(
  db: Database,
  name: string,
  stored: StoredAccount | undefined,
): Promise<Account> {
  const [row] = await countKeys(db, [name]);
  return toAccount(name, stored, row?.keys);
}

const toAccount = (name: string, stored: StoredAccount | undefined, keys = 0): Account => ({
  account: name,
  ...decisionsOf(stored),
  keys,
});

/** Returns what operators have set for an account: its plan, its quota and its suspension. */
export function decisionsOf(
  account: StoredAccount | undefined,
): Pick<Account, 'plan' | 'quota' | 'suspension'> {
  if (account === undefined) return { plan: null, quota: null, suspension: null };
  const { plan } = account;
  return {
    plan,
    quota: plan === null ? null : quotaOf({ ...account, plan }),
    suspension: toSuspension(account),
  };
}

/**
 * Finds an account. An account exists if it has an API key or a plan, or is suspended.
 *
 * @returns the stored row; `undefined` if the account has API keys but no row.
 * @throws {AdminRefusal} if the account does not exist.
 */
export async function findAccount(db: Database, name: string): Promise<StoredAccount | undefined> {
  const stored = await findStoredAccount(db, name);
  const hasPlanOrSuspension =
    stored !== undefined && (stored.plan !== null || stored.suspendedAt !== null);
  if (!hasPlanOrSuspension && (await findAnyKey(db, name)).length === 0) {
    throw new AdminRefusal('account_not_found', adminErrorMessages.account_not_found(name));
  }
  return stored;
}

/**
 * The SQL condition that a ban is active and is the only reason why the API key's requests are
 * refused.
 */
const isRefusingKey = and(isInForce, isNull(apiKeys.suspendedAt));

const countBans = statement('count_bans_of_accounts', (db, names: string[]) =>
  db
    .select({
      account: sql<string>`${apiKeys.account}`,
      keys: sql<number>`count(distinct ${openBans.keyId})`.mapWith(Number),
    })
    .from(openBans)
    .innerJoin(apiKeys, eq(apiKeys.id, openBans.keyId))
    .where(and(isRefusingKey, inArray(apiKeys.account, names)))
    .groupBy(apiKeys.account),
);

/**
 * Counts the banned API keys of each account. The returned map contains only accounts with bans.
 */
export async function countBansOfAccounts(
  db: Database,
  names: string[],
): Promise<ReadonlyMap<string, number>> {
  return new Map((await countBans(db, names)).map(({ account, keys }) => [account, keys]));
}

/** Returns the banned API keys of accounts. The keys with the latest end of the ban come first. */
export const listBansOfAccounts = (
  db: Database,
  names: string[],
  limit: number,
): Promise<AccountDetails['bans']> =>
  listOpenBans(db, limit, and(isRefusingKey, inArray(apiKeys.account, names)));
