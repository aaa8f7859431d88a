import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import { isUnexpired } from '../schema/lifetime.ts';
import type { apiTokens } from '../schema/schema.ts';
import { createToken, hashToken, tokenPrefix } from './token.ts';

type ShownToken = Pick<typeof apiTokens.$inferSelect, 'prefix' | 'createdAt' | 'expiresAt'>;

export function createTokenStore(holder: 'key' | 'operator', table: typeof apiTokens) {
  // The name of a token in the names of SQL statements, such as `operator_token` in
  // `insert_operator_token`. Metrics and traces show these names.
  const noun = holder === 'key' ? 'token' : 'operator_token';

  const insert = statement(`insert_${noun}`, (db, token: typeof table.$inferInsert) =>
    db.insert(table).values(token),
  );

  const list = statement(`list_${noun}s`, (db, holderIds: string[]) =>
    db
      .select({
        holderId: table.holderId,
        token: { prefix: table.prefix, createdAt: table.createdAt, expiresAt: table.expiresAt },
      })
      .from(table)
      .where(and(inArray(table.holderId, holderIds), isUnexpired(table.expiresAt)))
      // The tokens are sorted by expiry, because a newer token never expires before an older one.
      // Sorting only by `created_at` could give the wrong order, because the column contains the
      // start of the transaction. If a rotation had to wait for another rotation, its transaction
      // may have started first.
      .orderBy(desc(table.expiresAt), desc(table.createdAt), asc(table.hash)),
  );

  const expire = statement(`expire_${noun}s`, (db, holderId: string, graceSeconds: number) =>
    db
      .update(table)
      .set({
        expiresAt: sql`least(${table.expiresAt}, now() + make_interval(secs => ${graceSeconds}))`,
      })
      .where(and(eq(table.holderId, holderId), isUnexpired(table.expiresAt))),
  );

  /**
   * Gives an API key or an operator an additional token. The function returns the token, which
   * cannot be shown again, because only its hash is stored.
   */
  async function add(db: Database, holderId: string): Promise<string> {
    const token = createToken(holder);
    await insert(db, { hash: hashToken(token), holderId, prefix: tokenPrefix(token) });
    return token;
  }

  return {
    add,

    /**
     * Gives an API key or an operator a new token. The previous tokens expire after the grace
     * period, or earlier if they had an earlier expiry.
     */
    async replace(db: Database, holderId: string, graceSeconds: number): Promise<string> {
      await expire(db, holderId, graceSeconds);
      return add(db, holderId);
    },

    /** Adds to each API key or operator the list of its unexpired tokens, newest first. */
    async addTo<Holder extends { readonly id: string }>(
      db: Database,
      holders: readonly Holder[],
    ): Promise<(Holder & { tokens: ShownToken[] })[]> {
      if (holders.length === 0) return [];
      const ids = holders.map(({ id }) => id);
      const tokensOf = Map.groupBy(await list(db, ids), ({ holderId }) => holderId);
      return holders.map((one) => ({
        ...one,
        tokens: (tokensOf.get(one.id) ?? []).map(({ token }) => token),
      }));
    },
  };
}
