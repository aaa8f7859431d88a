import type { KeyState } from '@animal-store/contract/admin';
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isUnexpired, stateOf } from '../database/lifetime.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { lastUsed } from '../usage/usage-tables.ts';
import { type ApiKey, quotaOf } from './api-key.ts';

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

/** What operators see of a token. */
interface TokenRecord {
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** The state of a key. */
export const keyState = stateOf(apiKeys);

/** The condition that a token has not expired. */
export const isTokenUnexpired = isUnexpired(apiTokens.expiresAt);

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

const listTokens = statement('list_tokens', (db, keyIds: string[]) =>
  db
    .select({
      keyId: apiTokens.keyId,
      prefix: apiTokens.prefix,
      createdAt: apiTokens.createdAt,
      expiresAt: apiTokens.expiresAt,
    })
    .from(apiTokens)
    .where(and(inArray(apiTokens.keyId, keyIds), isTokenUnexpired))
    // The newest token never expires before the others. `created_at` alone does not tell which one is
    // the newest: it is the time at which its transaction began, and of two rotations at once the
    // one that waited for the other may have begun first.
    .orderBy(desc(apiTokens.expiresAt), desc(apiTokens.createdAt), asc(apiTokens.hash)),
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
  if (rows.length === 0) return [];
  const tokens = await listTokens(
    db,
    rows.map(({ id }) => id),
  );
  const tokensOf = Map.groupBy(tokens, ({ keyId }) => keyId);
  return rows.map(({ perMinute, perDay, ...row }) => ({
    ...row,
    quota: quotaOf({ plan: row.plan, perMinute, perDay }),
    tokens: (tokensOf.get(row.id) ?? []).map(({ keyId: _, ...token }) => token),
  }));
}
