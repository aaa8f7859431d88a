import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { translateErrors } from '../database/database-error.ts';
import { apiKeys, apiTokens } from '../database/schema.ts';
import { type ApiKey, type NewApiKey, quotaOf, storedPlan } from './api-key.ts';
import { createToken, hashToken, tokenPrefix } from './token.ts';

/** API keys in the database. */
export function createKeyRepository(db: Database) {
  const findByHash = db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      plan: apiKeys.plan,
      perMinute: apiKeys.perMinute,
      perDay: apiKeys.perDay,
      expiresAt: apiKeys.expiresAt,
      tokenExpiresAt: apiTokens.expiresAt,
    })
    .from(apiTokens)
    .innerJoin(apiKeys, eq(apiKeys.id, apiTokens.keyId))
    .where(
      and(
        eq(apiTokens.hash, sql.placeholder('hash')),
        isUnexpired(apiTokens.expiresAt),
        isUnexpired(apiKeys.expiresAt),
        isNull(apiKeys.revokedAt),
      ),
    )
    .prepare('find_key_by_token');

  return {
    /** The key that the token of a hash stands for, unless it is unknown, expired or revoked. */
    async findByHash(hash: string): Promise<ApiKey | undefined> {
      const [row] = await translateErrors(findByHash.execute({ hash }), 'find_key_by_token');
      if (row === undefined) return undefined;
      const { id, name, plan } = row;
      return { id, name, plan, quota: quotaOf(row), expiresAt: earliest(row) };
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
    create: ({ name, account, expiresAt, ...plan }: NewApiKey) =>
      translateErrors(
        db.transaction(async (tx): Promise<{ id: string; token: string }> => {
          const [row] = await tx
            .insert(apiKeys)
            .values({ name, ...storedPlan(plan), account, expiresAt })
            .returning({ id: apiKeys.id });
          if (row === undefined) throw new Error('An insert returned no row.');
          return { id: row.id, token: await addToken(tx, row.id) };
        }),
        'create_key',
      ),
  };
}

/** Gives a key one more token, which cannot be shown again. */
export async function addToken(db: Database, keyId: string): Promise<string> {
  const token = createToken();
  await db.insert(apiTokens).values({ hash: hashToken(token), keyId, prefix: tokenPrefix(token) });
  return token;
}

/** Whether something that expires then, or never, is still good; by the database's clock. */
export function isUnexpired(expiresAt: typeof apiTokens.expiresAt | typeof apiKeys.expiresAt) {
  return or(isNull(expiresAt), gt(expiresAt, sql`now()`));
}

/** When the first of a key and its token expires. */
function earliest(row: { expiresAt: Date | null; tokenExpiresAt: Date | null }): Date | undefined {
  const ends = [row.expiresAt, row.tokenExpiresAt].filter((end) => end !== null);
  return ends.length === 0 ? undefined : new Date(Math.min(...ends.map((end) => end.getTime())));
}
