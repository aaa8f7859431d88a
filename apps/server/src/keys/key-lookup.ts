import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive, isUnexpired } from '../database/lifetime.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { preparedStatement } from '../database/statement.ts';
import { type ApiKey, quotaOf } from './api-key.ts';

const findKeyByToken = preparedStatement('find_key_by_token', (db) =>
  db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      plan: apiKeys.plan,
      perMinute: apiKeys.perMinute,
      perDay: apiKeys.perDay,
      // Of one that is null, the other.
      expiresAt: sql<Date | null>`least(${apiKeys.expiresAt}, ${apiTokens.expiresAt})`.mapWith(
        (text: string) => new Date(text),
      ),
    })
    .from(apiTokens)
    .innerJoin(apiKeys, eq(apiKeys.id, apiTokens.holderId))
    .where(
      and(
        eq(apiTokens.hash, sql.placeholder('hash')),
        isUnexpired(apiTokens.expiresAt),
        isActive(apiKeys),
      ),
    ),
);

/**
 * Creates the function that looks up the key of a token, by the token's hash.
 *
 * @returns from the function, `undefined` if the token is unknown, expired or revoked.
 */
export function createKeyLookup(db: Database) {
  return async function findByHash(hash: string): Promise<ApiKey | undefined> {
    const [row] = await findKeyByToken(db, { hash });
    if (row === undefined) return undefined;
    const { id, name, plan } = row;
    return { id, name, plan, quota: quotaOf(row), expiresAt: row.expiresAt ?? undefined };
  };
}
