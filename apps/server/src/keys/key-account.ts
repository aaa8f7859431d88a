import { AccountName, type Key, tidyAccountName } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { execution, oneRow, preparedStatement } from '@animal-store/postgres';
import { eq, sql } from 'drizzle-orm';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import { accounts } from '../schema/schema.ts';
import { type AppliedPlan, quotaOf } from './api-key.ts';

/** A row of the table of accounts. An account without a plan is only a label of its API keys. */
export type StoredAccount = typeof accounts.$inferSelect;

/**
 * Returns the plan that applies to an API key: the account's plan if there is one, otherwise the
 * plan of the key itself.
 */
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

/**
 * Finds the row of an account by name. Returns `undefined` if no operator has given the account a
 * plan or a suspension.
 */
export async function findStoredAccount(
  db: Database,
  name: string | null,
): Promise<StoredAccount | undefined> {
  if (name === null) return undefined;
  const [row] = await selectAccount(db, { name });
  return row?.account ?? undefined;
}

/**
 * Returns the name of the account that an operator has typed. An existing account with exactly this
 * name takes precedence, because it may be older than the rules for names. Otherwise the text is
 * normalized by the rules for names.
 *
 * @throws {AdminRefusal} if there is no account with this name and the name is not valid for a new
 * account.
 */
export async function resolveAccount(db: Database, typedName: string): Promise<string> {
  if ((await findStoredAccount(db, typedName)) !== undefined) return typedName;
  const { data, error } = AccountName.safeParse(typedName);
  if (data !== undefined) return data;
  throw new AdminRefusal('invalid_request', `account: ${error?.issues[0]?.message}`);
}

/**
 * Returns a filter in which the account has its stored name. The rules are the same as in
 * `resolveAccount`, except that the filter may contain any text, because the account need not exist.
 * Without this function, a report about an account whose name an operator has typed with a space at
 * the end would be empty.
 */
export async function resolveFilter<Filter extends { readonly account?: string | undefined }>(
  db: Database,
  filter: Filter,
): Promise<Filter> {
  const { account } = filter;
  if (account === undefined) return filter;
  const tidied = tidyAccountName(account);
  if (tidied === account || (await findStoredAccount(db, account)) !== undefined) return filter;
  return { ...filter, account: tidied };
}

/**
 * Finds the plan that currently applies to an API key: the plan of its account or of the key
 * itself.
 */
export async function findAppliedPlan(
  db: Database,
  key: Pick<Key, 'account' | 'plan' | 'quota'>,
): Promise<AppliedPlan> {
  return applyPlan(key, await findStoredAccount(db, key.account));
}

/** Returns the id of an account if the account has a plan, and `undefined` otherwise. */
export async function findPlanAccountId(
  tx: Database,
  account: string | null,
): Promise<string | undefined> {
  const found = await findStoredAccount(tx, account);
  return found?.plan == null ? undefined : found.id;
}
