import { AccountName, type Key } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { execution, oneRow, preparedStatement } from '@animal-store/postgres';
import { eq, sql } from 'drizzle-orm';
import { AdminRefusal } from '../audit/admin-refusal.ts';
import { accounts } from '../schema/schema.ts';
import { type AppliedPlan, quotaOf } from './api-key.ts';

/** An account as stored. Without a plan it is a label. */
export type StoredAccount = typeof accounts.$inferSelect;

/** Chooses the plan that holds for a key: that of its account, if the account has one. */
export function applyPlan(
  own: Pick<AppliedPlan, 'plan' | 'quota'>,
  account: StoredAccount | null | undefined,
): AppliedPlan {
  if (account == null || account.plan === null) {
    return { accountId: undefined, plan: own.plan, quota: own.quota };
  }
  const { id, plan } = account;
  return { accountId: id, plan, quota: quotaOf({ ...account, plan }) };
}

const selectAccount = preparedStatement('find_account_of_key', (db) =>
  db
    .select({ account: accounts, execution })
    .from(oneRow)
    .leftJoin(accounts, eq(accounts.name, sql.placeholder('name'))),
);

/** Finds what operators have decided about an account; `undefined` if nothing. */
export async function findStoredAccount(
  db: Database,
  name: string | null,
): Promise<StoredAccount | undefined> {
  if (name === null) return undefined;
  const [row] = await selectAccount(db, { name });
  return row?.account ?? undefined;
}

/**
 * Finds out which account a text means: the one with exactly this name, which may be older than the rules for names,
 * or else the one that the rules make of it.
 *
 * @throws {AdminRefusal} if there is no account with this name, and a new one may not have it.
 */
export async function resolveAccount(db: Database, given: string): Promise<string> {
  if ((await findStoredAccount(db, given)) !== undefined) return given;
  const { data, error } = AccountName.safeParse(given);
  if (data !== undefined) return data;
  throw new AdminRefusal('invalid_request', `account: ${error?.issues[0]?.message}`);
}

/** The plan that holds for a key at this moment: its own or that of its account. */
export async function findAppliedPlan(
  db: Database,
  key: Pick<Key, 'account' | 'plan' | 'quota'>,
): Promise<AppliedPlan> {
  return applyPlan(key, await findStoredAccount(db, key.account));
}
