import type { NewKey } from '@animal-store/contract/admin';
import type { Database } from '../database/database.ts';
import { apiKeys } from '../database/schema.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { storedPlan } from './api-key.ts';
import { keyTokens } from './key-record.ts';

const findAnyKey = statement('find_any_key', (db) =>
  db.select({ id: apiKeys.id }).from(apiKeys).limit(1),
);

const insertKey = statement('insert_key', (db, key: typeof apiKeys.$inferInsert) =>
  db.insert(apiKeys).values(key).returning({ id: apiKeys.id }),
);

/** Tells whether there is any key, valid or not. */
export async function hasAnyKey(db: Database): Promise<boolean> {
  return (await findAnyKey(db)).length > 0;
}

/** Creates a key. Its token is in the result and nowhere else: it cannot be shown again. */
export function createApiKey(
  db: Database,
  { name, account, expiresAt, ...plan }: NewKey,
): Promise<{ id: string; token: string }> {
  return inTransaction('create_key', db, async (tx) => {
    const [row] = await insertKey(tx, { name, ...storedPlan(plan), account, expiresAt });
    if (row === undefined) throw new Error('An insert returned no row.');
    return { id: row.id, token: await keyTokens.add(tx, row.id) };
  });
}
