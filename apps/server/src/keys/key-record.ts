import type { KeyState } from '@animal-store/contract/admin';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { stateOf } from '../database/lifetime.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { lastUsed } from '../usage/usage-tables.ts';
import { type ApiKey, quotaOf } from './api-key.ts';
import { createTokenStore, type TokenRecord } from './token-store.ts';

/** A key as operators see it. */
export interface KeyRecord extends Omit<ApiKey, 'expiresAt'> {
  readonly account: string | null;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The minute of its last request, as far as the usage ledger has it. */
  readonly lastUsedAt: Date | null;
  /** The tokens that have not expired, the newest first. They are valid as long as the key is active. */
  readonly tokens: readonly TokenRecord[];
}

/** The state of a key. */
export const keyState = stateOf(apiKeys);

/** The tokens of keys. */
export const keyTokens = createTokenStore('key', apiTokens);

// A subquery, because `for update` takes no outer join.
const lastUsedAt = sql<Date | null>`(select ${lastUsed.at} from ${lastUsed} where ${lastUsed.keyId} = ${apiKeys.id})`;

/** What is read of a key. */
export const keyColumns = {
  id: apiKeys.id,
  name: apiKeys.name,
  account: apiKeys.account,
  plan: apiKeys.plan,
  perMinute: apiKeys.perMinute,
  perDay: apiKeys.perDay,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: lastUsedAt.mapWith(lastUsed.at),
  state: keyState,
};

const selectKey = statement('find_key', (db, id: string) =>
  db.select(keyColumns).from(apiKeys).where(eq(apiKeys.id, id)),
);

const selectKeyToChange = statement('lock_key', (db, id: string) =>
  db.select(keyColumns).from(apiKeys).where(eq(apiKeys.id, id)).for('update'),
);

type Row = Awaited<ReturnType<typeof selectKey>>[number];

/** Finds a key; `undefined` if there is none. */
export async function findKey(db: Database, id: string): Promise<KeyRecord | undefined> {
  const [key] = await withTokens(db, await selectKey(db, id));
  return key;
}

/** Finds a key and locks it until the transaction ends. */
export async function lockKey(tx: Database, id: string): Promise<KeyRecord | undefined> {
  const [key] = await withTokens(tx, await selectKeyToChange(tx, id));
  return key;
}

/** Adds their tokens to keys. */
export async function withTokens(db: Database, rows: readonly Row[]): Promise<KeyRecord[]> {
  const keys = await keyTokens.addTo(db, rows);
  return keys.map(({ perMinute, perDay, ...key }) => ({
    ...key,
    quota: quotaOf({ plan: key.plan, perMinute, perDay }),
  }));
}
