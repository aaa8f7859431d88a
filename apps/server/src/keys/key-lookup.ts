import { scopeNames } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import { execution, oneRow, preparedStatement } from '@animal-store/postgres';
import { and, eq, sql } from 'drizzle-orm';
import { isActive, isUnexpired } from '../schema/lifetime.ts';
import { accounts, apiKeys, apiTokens } from '../schema/schema.ts';
import { type ApiKey, quotaOf } from './api-key.ts';
import { applyPlan } from './key-account.ts';

const findKeyByToken = preparedStatement('find_key_by_token', (db) =>
  db
    .select({
      key: apiKeys,
      account: accounts,
      // A token ends when its API key expires or when the token itself expires, whichever is
      // earlier. The SQL function `least` ignores nulls.
      expiresAt: sql<Date | null>`least(${apiKeys.expiresAt}, ${apiTokens.expiresAt})`.mapWith(
        (text: string) => new Date(text),
      ),
      isValid: sql<boolean>`${and(isUnexpired(apiTokens.expiresAt), isActive(apiKeys))}`,
      execution,
    })
    .from(oneRow)
    .leftJoin(apiTokens, eq(apiTokens.hash, sql.placeholder('hash')))
    .leftJoin(apiKeys, eq(apiKeys.id, apiTokens.holderId))
    .leftJoin(accounts, eq(accounts.name, apiKeys.account)),
);

/**
 * Creates the function that finds the API key of a token by the token's hash.
 *
 * @returns a function that returns `undefined` if the token never belonged to a key.
 */
export function createKeyLookup(db: Database) {
  return async function findByHash(hash: string): Promise<ApiKey | undefined> {
    const [row] = await findKeyByToken(db, { hash });
    if (!row?.key) return undefined;
    const { id, account, plan, scopes, suspendedAt } = row.key;
    return {
      id,
      account,
      ...applyPlan({ plan, quota: quotaOf(row.key) }, row.account),
      // The array contains the constants of `scopeNames` instead of the strings from the database,
      // so that all cached API keys share the same strings and use less memory.
      scopes: scopeNames.filter((scope) => scopes.includes(scope)),
      refusal: !row.isValid
        ? 'ended'
        : suspendedAt !== null || row.account?.suspendedAt != null
          ? 'suspended'
          : undefined,
      expiresAt: row.isValid ? (row.expiresAt ?? undefined) : undefined,
    };
  };
}
