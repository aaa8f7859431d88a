import type { Database } from '../database/database.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { type NewApiKey, storedPlan } from './api-key.ts';
import { createToken, hashToken, tokenPrefix } from './token.ts';

const findAnyKey = statement('find_any_key', (db) =>
  db.select({ id: apiKeys.id }).from(apiKeys).limit(1),
);

const insertKey = statement('insert_key', (db, key: typeof apiKeys.$inferInsert) =>
  db.insert(apiKeys).values(key).returning({ id: apiKeys.id }),
);

const insertToken = statement('insert_token', (db, token: typeof apiTokens.$inferInsert) =>
  db.insert(apiTokens).values(token),
);

/** Tells whether there is any key, valid or not. */
export async function hasAnyKey(db: Database): Promise<boolean> {
  return (await findAnyKey(db)).length > 0;
}

/** Creates a key. Its token is in the result and nowhere else: it cannot be shown again. */
export function createApiKey(
  db: Database,
  { name, account, expiresAt, ...plan }: NewApiKey,
): Promise<{ id: string; token: string }> {
  return inTransaction('create_key', db, async (tx) => {
    const [row] = await insertKey(tx, { name, ...storedPlan(plan), account, expiresAt });
    if (row === undefined) throw new Error('An insert returned no row.');
    return { id: row.id, token: await addToken(tx, row.id) };
  });
}

/** Gives a key one more token, which cannot be shown again. */
export async function addToken(db: Database, keyId: string): Promise<string> {
  const token = createToken();
  await insertToken(db, { hash: hashToken(token), keyId, prefix: tokenPrefix(token) });
  return token;
}
