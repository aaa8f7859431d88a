import { scopeNames } from '@animal-store/contract';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive, isUnexpired } from '../database/lifetime.ts';
import { accounts, apiKeys, apiTokens } from '../database/schema.ts';
import { execution, oneRow, preparedStatement } from '../database/statement.ts';
import { type ApiKey, quotaOf } from './api-key.ts';
import { applyPlan } from './key-account.ts';

const findKeyByToken = preparedStatement('find_key_by_token', (db) =>
  db
    .select({
      key: apiKeys,
      account: accounts,
      // Of one that is null, the other.
      expiresAt: sql<Date | null>`least(${apiKeys.expiresAt}, ${apiTokens.expiresAt})`.mapWith(
        (text: string) => new Date(text),
      ),
      execution,
    })
    .from(oneRow)
    .leftJoin(
      apiTokens,
      and(eq(apiTokens.hash, sql.placeholder('hash')), isUnexpired(apiTokens.expiresAt)),
    )
    .leftJoin(apiKeys, and(eq(apiKeys.id, apiTokens.holderId), isActive(apiKeys)))
    .leftJoin(accounts, eq(accounts.name, apiKeys.account)),
);

/**
 * Creates the function that looks up the key of a token, by the token's hash.
 *
 * @returns from the function, `undefined` if the token is unknown, expired or revoked.
 */
export function createKeyLookup(db: Database) {
  return async function findByHash(hash: string): Promise<ApiKey | undefined> {
    const [row] = await findKeyByToken(db, { hash });
    if (!row?.key) return undefined;
    const { id, name, account, plan, scopes, suspendedAt } = row.key;
    return {
      id,
      name,
      account,
      ...applyPlan({ plan, quota: quotaOf(row.key) }, row.account),
      // Of the constants, so that the cache does not hold the names once more for each key.
      scopes: scopeNames.filter((scope) => scopes.includes(scope)),
      isSuspended: suspendedAt !== null || row.account?.suspendedAt != null,
      expiresAt: row.expiresAt ?? undefined,
    };
  };
}
