import { adminErrorMessages, type NewKey } from '@animal-store/admin-contract';
import { type Database, inTransaction, statement } from '@animal-store/postgres';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import { apiKeys } from '../schema/schema.ts';
import { type PlanChoice, storedPlan } from './api-key.ts';
import { findPlanAccountId, resolveAccount } from './key-account.ts';
import { keyTokens } from './key-record.ts';

const findAnyKey = statement('find_any_key', (db) =>
  db.select({ id: apiKeys.id }).from(apiKeys).limit(1),
);

const insertKey = statement('insert_key', (tx, key: typeof apiKeys.$inferInsert) =>
  tx.insert(apiKeys).values(key).returning({ id: apiKeys.id }),
);

/** Tells whether any API key exists, active or not. */
export async function hasAnyKey(db: Database): Promise<boolean> {
  return (await findAnyKey(db)).length > 0;
}

/**
 * Creates an API key. The result contains the token, which is not stored and cannot be shown again.
 */
export const createApiKey = (
  db: Database,
  newKey: NewKey,
): Promise<{ id: string; token: string }> =>
  inTransaction('create_key', db, (tx) => addKey(tx, newKey));

/** Creates an API key in the transaction of the caller. */
export async function addKey(tx: Database, newKey: NewKey): Promise<{ id: string; token: string }> {
  const { name, expiresAt, scopes } = newKey;
  const account = newKey.account && (await resolveAccount(tx, newKey.account));
  const choice = await planOfNewKey(tx, { ...newKey, account });
  const [row] = await insertKey(tx, { name, ...storedPlan(choice), account, expiresAt, scopes });
  if (row === undefined)
    throw new Error(
      'The API key was not stored: the INSERT returned no row. Report this as a bug of the service.',
    );
  return { id: row.id, token: await keyTokens.add(tx, row.id) };
}

/**
 * Returns the plan of a new API key. If the request names no plan, the plan of the account applies
 * to the key. The key is then stored with the plan Free, which applies if the account loses its
 * plan.
 *
 * @throws {AdminRefusal} if both the request and the account lack a plan.
 */
async function planOfNewKey(tx: Database, { account, ...wanted }: NewKey): Promise<PlanChoice> {
  if (wanted.plan === 'enterprise') return { plan: wanted.plan, quota: wanted.quota };
  if (wanted.plan !== undefined) return { plan: wanted.plan };
  if ((await findPlanAccountId(tx, account ?? null)) === undefined) {
    throw new AdminRefusal('invalid_request', adminErrorMessages.planMissing);
  }
  return { plan: 'free' };
}
