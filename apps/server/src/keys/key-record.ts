import { adminErrorMessages, type Key, type KeyState } from '@animal-store/admin-contract';
import { type Database, execution, oneRow, preparedStatement } from '@animal-store/postgres';
import { and, eq, isNotNull, isNull, lte, not, type SQL, sql } from 'drizzle-orm';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import { isActive, stateOf } from '../schema/lifetime.ts';
import { accounts, apiKeys, apiTokens } from '../schema/schema.ts';
import { toSuspension } from '../schema/suspension.ts';
import { lastUsed } from '../usage/usage-tables.ts';
import { quotaOf } from './api-key.ts';
import { applyPlan, type StoredAccount } from './key-account.ts';
import { createTokenStore } from './token-store.ts';

/**
 * The SQL condition that an API key or its account is suspended. The account is looked up by
 * `exists`, because a join would take three times as long to find a few suspended keys among a
 * million.
 */
const isSuspended = sql`(${apiKeys.suspendedAt} is not null or exists (
  select from accounts holder where holder.name = ${apiKeys.account} and holder.suspended_at is not null))`;

const keyState = stateOf(
  apiKeys,
  sql<'active' | 'suspended'>`case when ${isSuspended} then 'suspended' else 'active' end`,
);

/**
 * Returns the SQL condition that an API key has the given state. With the expression {@link
 * keyState}, Postgres could not estimate how many keys have this state, and might choose a slow
 * query plan.
 */
export function isInState(state: KeyState): SQL | undefined {
  switch (state) {
    case 'revoked':
      return isNotNull(apiKeys.revokedAt);
    case 'expired':
      return and(isNull(apiKeys.revokedAt), lte(apiKeys.expiresAt, sql`now()`));
    case 'suspended':
      return and(isActive(apiKeys), isSuspended);
    case 'active':
      return and(isActive(apiKeys), not(isSuspended));
  }
}

export const keyTokens = createTokenStore('key', apiTokens);

/** The selected columns of an API key, joined with its account and its last use. */
export const keyColumns = {
  key: apiKeys,
  holder: accounts,
  lastUsedAt: lastUsed.at,
  lastRefusedAt: lastUsed.refusedAt,
  state: keyState,
};

const selectKey = preparedStatement('find_key', (db) =>
  db
    .select({ ...keyColumns, execution })
    .from(oneRow)
    .leftJoin(apiKeys, eq(apiKeys.id, sql.placeholder('id')))
    .leftJoin(accounts, eq(accounts.name, apiKeys.account))
    .leftJoin(lastUsed, eq(lastUsed.keyId, apiKeys.id)),
);

/**
 * Finds an API key with its tokens by its id.
 *
 * @throws {AdminRefusal} if there is no key with this id.
 */
export async function findKey(db: Database, id: string): Promise<Key> {
  const rows = await selectKey(db, { id });
  const found = rows.flatMap(({ key, execution: _, ...row }) => (key ? { key, ...row } : []));
  const [key] = await completeKeys(db, found);
  if (key === undefined)
    throw new AdminRefusal('key_not_found', adminErrorMessages.key_not_found(id));
  return key;
}

/**
 * Converts database rows to API keys as the contract defines them. The function adds the tokens,
 * and the plan that applies: the plan of the account or of the key itself.
 */
export function completeKeys<More extends { readonly state: Key['state'] }>(
  db: Database,
  rows: readonly (More & {
    readonly key: typeof apiKeys.$inferSelect;
    readonly holder: StoredAccount | null;
  })[],
) {
  const keys = rows.map(({ key: row, holder, ...more }) => {
    const { perMinute, perDay, suspendedAt, suspensionReason, ...key } = row;
    const own = { plan: key.plan, quota: quotaOf(row) };
    const { accountId, ...inForcePlan } = applyPlan(own, holder);
    return {
      ...key,
      ...more,
      quota: own.quota,
      inForce: { subject: accountId ? ('account' as const) : ('key' as const), ...inForcePlan },
      suspension: toSuspension(row),
      accountSuspension: holder && toSuspension(holder),
    };
  });
  return keyTokens.addTo(db, keys);
}
