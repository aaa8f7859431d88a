import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { translateErrors } from '../database/database-error.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { type ApiKey, type NewApiKey, quotaOf } from './api-key.ts';
import { createToken, hashToken, tokenPrefix } from './token.ts';

export type KeyRepository = ReturnType<typeof createKeyRepository>;

/** API keys in the database. */
export function createKeyRepository(db: Database) {
  const findByHash = db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      plan: apiKeys.plan,
      perMinute: apiKeys.perMinute,
      perDay: apiKeys.perDay,
    })
    .from(apiTokens)
    .innerJoin(apiKeys, eq(apiKeys.id, apiTokens.keyId))
    .where(
      and(
        eq(apiTokens.hash, sql.placeholder('hash')),
        or(isNull(apiTokens.expiresAt), gt(apiTokens.expiresAt, sql`now()`)),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
        isNull(apiKeys.revokedAt),
      ),
    )
    .prepare('find_key_by_token');

  return {
    /** The key that a token stands for, unless it is unknown, expired or revoked. */
    async findByToken(token: string): Promise<ApiKey | undefined> {
      const [row] = await translateErrors(
        findByHash.execute({ hash: hashToken(token) }),
        'find_key_by_token',
      );
      if (row === undefined) return undefined;
      return { id: row.id, name: row.name, plan: row.plan, quota: quotaOf(row) };
    },

    /** Tells whether there is any key at all, good or not. */
    async any(): Promise<boolean> {
      const rows = await translateErrors(
        db.select({ id: apiKeys.id }).from(apiKeys).limit(1),
        'find_any_key',
      );
      return rows.length > 0;
    },

    /** Makes a key. Its token is in the answer and nowhere else: it cannot be shown again. */
    async create(key: NewApiKey): Promise<{ key: ApiKey; token: string }> {
      const own = key.plan === 'enterprise' ? key.quota : { perMinute: null, perDay: null };
      const token = createToken();
      const id = await translateErrors(
        db.transaction(async (tx) => {
          const [row] = await tx
            .insert(apiKeys)
            .values({ name: key.name, plan: key.plan, ...own })
            .returning({ id: apiKeys.id });
          if (row === undefined) throw new Error('An insert returned no row.');
          await tx
            .insert(apiTokens)
            .values({ hash: hashToken(token), keyId: row.id, prefix: tokenPrefix(token) });
          return row.id;
        }),
        'create_key',
      );
      return {
        key: { id, name: key.name, plan: key.plan, quota: quotaOf({ plan: key.plan, ...own }) },
        token,
      };
    },
  };
}
