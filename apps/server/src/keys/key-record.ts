import type { Key } from '@animal-store/contract/admin';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { stateOf } from '../database/lifetime.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { lastUsed } from '../usage/usage-tables.ts';
import { quotaOf, type StoredPlan } from './api-key.ts';
import { createTokenStore } from './token-store.ts';

/** The state of a key. */
export const keyState = stateOf(apiKeys);

/** The tokens of keys. */
export const keyTokens = createTokenStore('key', apiTokens);

// A subquery, because `for update` takes no outer join.
const lastUsedAt = sql<
  string | null
>`(select ${lastUsed.at} from ${lastUsed} where ${lastUsed.keyId} = ${apiKeys.id})`;

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

/** Adds their quotas and tokens to keys. */
export async function completeKeys(
  db: Database,
  rows: readonly (Omit<Key, 'quota' | 'tokens'> & StoredPlan)[],
): Promise<Key[]> {
  const keys = await keyTokens.addTo(db, rows);
  return keys.map(({ perMinute, perDay, ...key }) => ({
    ...key,
    quota: quotaOf({ plan: key.plan, perMinute, perDay }),
  }));
}
