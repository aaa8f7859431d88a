import type { PlanName } from '@animal-store/contract';
import { adminErrorMessages, type Key } from '@animal-store/contract/admin';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { stateOf } from '../database/lifetime.ts';
import { accounts, apiKeys, apiTokens } from '../database/schema.ts';
import { execution, oneRow, preparedStatement } from '../database/statement.ts';
import { toSuspension } from '../database/suspension.ts';
import { lastUsed } from '../usage/usage-tables.ts';
import { quotaOf } from './api-key.ts';
import { Refusal } from './refusal.ts';
import { createTokenStore } from './token-store.ts';

/** The condition that a key is suspended, or its account. */
const isSuspended = sql`(${apiKeys.suspendedAt} is not null or exists (
  select from accounts holder where holder.name = ${apiKeys.account} and holder.suspended_at is not null))`;

/** The state of a key. */
export const keyState = stateOf(
  apiKeys,
  sql<'active' | 'suspended'>`case when ${isSuspended} then 'suspended' else 'active' end`,
);

/** The tokens of keys. */
export const keyTokens = createTokenStore('key', apiTokens);

/** What is read of the last use of a key. */
const ofLastUse = (column: typeof lastUsed.at | typeof lastUsed.refusedAt) =>
  sql<
    string | null
  >`(select ${column} from ${lastUsed} where ${lastUsed.keyId} = ${apiKeys.id})`.mapWith(column);

/** What is read of the account of a key. */
const ofAccount = <Value>(column: string) =>
  sql<Value | null>`(select holder.${sql.raw(column)} from accounts holder
    where holder.name = ${apiKeys.account})`;

/** What is read of a key. */
export const keyColumns = {
  ...getTableColumns(apiKeys),
  accountSuspendedAt: ofAccount<string>('suspended_at').mapWith(accounts.suspendedAt),
  accountSuspensionReason: ofAccount<string>('suspension_reason'),
  accountPlan: ofAccount<PlanName>('plan'),
  accountPerMinute: ofAccount<number>('per_minute'),
  accountPerDay: ofAccount<number>('per_day'),
  lastUsedAt: ofLastUse(lastUsed.at),
  lastRefusedAt: ofLastUse(lastUsed.refusedAt),
  state: keyState,
};

const selectKey = preparedStatement('find_key', (db) =>
  db
    .select({ key: keyColumns, execution })
    .from(oneRow)
    .leftJoin(apiKeys, eq(apiKeys.id, sql.placeholder('id'))),
);

/** @throws {Refusal} if there is no such key. */
export async function findKey(db: Database, id: string): Promise<Key> {
  const rows = await selectKey(db, { id });
  const [key] = await completeKeys(
    db,
    rows.flatMap((row) => row.key ?? []),
  );
  if (key === undefined) throw new Refusal('key_not_found', adminErrorMessages.key_not_found(id));
  return key;
}

/** A key as read, without its tokens. */
type StoredKey = typeof apiKeys.$inferSelect & {
  readonly accountSuspendedAt: string | null;
  readonly accountSuspensionReason: string | null;
  readonly accountPlan: PlanName | null;
  readonly accountPerMinute: number | null;
  readonly accountPerDay: number | null;
};

/** Adds their quotas, suspensions and tokens to keys. */
export async function completeKeys<Row extends StoredKey>(db: Database, rows: readonly Row[]) {
  const keys = await keyTokens.addTo(db, rows);
  return keys.map((row) => {
    const { perMinute, perDay, suspendedAt, suspensionReason, ...rest } = row;
    const { accountSuspendedAt, accountSuspensionReason, ...others } = rest;
    const { accountPlan, accountPerMinute, accountPerDay, ...key } = others;
    const own = { plan: key.plan, quota: quotaOf({ plan: key.plan, perMinute, perDay }) };
    const shared = accountPlan && {
      plan: accountPlan,
      quota: quotaOf({
        ...{ plan: accountPlan, perMinute: accountPerMinute, perDay: accountPerDay },
      }),
    };
    return {
      ...key,
      ...own,
      inForce: shared
        ? { subject: 'account' as const, ...shared }
        : { subject: 'key' as const, ...own },
      suspension: toSuspension({ suspendedAt, suspensionReason }),
      accountSuspension: toSuspension({
        suspendedAt: accountSuspendedAt,
        suspensionReason: accountSuspensionReason,
      }),
    };
  });
}
