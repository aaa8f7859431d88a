import type { Database } from '@animal-store/postgres';
import { inTransaction, statement } from '@animal-store/postgres';
import type { ConsumerId, Quotas } from '@animal-store/quotas';
import { and, eq, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { accounts, apiKeys, banMoves } from '../schema/schema.ts';

/** The interval at which each replica looks for unfinished moves of bans. */
export const finishBanMovesMs = 10_000;

/**
 * The age from which a move of bans counts as unfinished, in seconds. A younger move belongs to a
 * change that is probably still running.
 */
const unfinishedAfterSeconds = 10;

/**
 * The number of API keys that are locked at the same time. Each of them is locked while its ban
 * moves to another Redis key.
 */
const maxMovedKeys = 50;

type BanMove = typeof banMoves.$inferSelect;

export type BanMoves = ReturnType<typeof createBanMoves>;

const insertMove = statement('insert_ban_move', (db, move: typeof banMoves.$inferInsert) =>
  db.insert(banMoves).values(move).returning(),
);

const deleteMove = statement('delete_ban_move', (db, id: string) =>
  db.delete(banMoves).where(eq(banMoves.id, id)),
);

const listMoves = statement('list_ban_moves', (db, minAgeSeconds: number) =>
  db
    .select()
    .from(banMoves)
    .where(lte(banMoves.startedAt, sql`now() - make_interval(secs => ${minAgeSeconds})`))
    .orderBy(banMoves.startedAt)
    .limit(maxMovedKeys),
);

const listKeyIds = statement('list_keys_of_account', (tx, names: string[]) =>
  tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(inArray(apiKeys.account, names), isNull(apiKeys.revokedAt))),
);

const listAccountIds = statement('list_ids_of_accounts', (tx, names: string[]) =>
  tx.select({ id: accounts.id }).from(accounts).where(inArray(accounts.name, names)),
);

const listPendingAccountIds = statement('list_accounts_of_ban_moves', (tx, keyId: string) =>
  tx
    .selectDistinct({ id: accounts.id })
    .from(banMoves)
    .innerJoin(accounts, sql`${accounts.name} = any(${banMoves.accounts})`)
    .where(eq(banMoves.keyId, keyId)),
);

/** Locks API keys until the end of the transaction. */
export const lockKeys = statement('lock_keys', (tx, ids: string[]) =>
  tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(inArray(apiKeys.id, ids))
    .orderBy(apiKeys.id)
    .for('update'),
);

/** Returns the moves that may concern one of the API keys: the key's own move, or an account's. */
const listMovesOf = statement('list_ban_moves_of_keys', (tx, ids: readonly string[]) =>
  tx
    .select({ keyId: banMoves.keyId })
    .from(banMoves)
    .where(or(isNull(banMoves.keyId), inArray(banMoves.keyId, [...ids]))),
);

/**
 * Returns the API keys whose bans certainly do not move at the moment. The API keys must be
 * locked, so that no move ends between this query and the look at Redis.
 */
export async function findSettled(tx: Database, ids: readonly string[]): Promise<string[]> {
  const moving = (await listMovesOf(tx, ids)).map(({ keyId }) => keyId);
  // If the plan of an account changes, the bans of all its keys move.
  return moving.includes(null) ? [] : ids.filter((id) => !moving.includes(id));
}

/**
 * Returns for each API key the id of the account whose plan applies to the key. The keys are locked
 * by an earlier, separate statement. If one statement did both and had to wait for a lock, it would
 * read the accounts as they were before the wait.
 */
const findPlaces = statement('find_places_of_keys', (tx, ids: string[]) =>
  tx
    .select({ id: apiKeys.id, accountId: accounts.id })
    .from(apiKeys)
    .leftJoin(accounts, and(eq(accounts.name, apiKeys.account), isNotNull(accounts.plan)))
    .where(inArray(apiKeys.id, ids)),
);

/**
 * Creates the operations that move bans in Redis. A ban moves when its API key gets another
 * account, or when an account gets or loses its plan. A ban must be stored where the requests of
 * the key are counted. Otherwise the ban would have no effect.
 *
 * Redis and Postgres have no common transaction. So each move is first written to the table
 * `ban_moves`, and deleted when it has ended. If the replica stops in between, loses Redis, or does
 * not learn whether its change was committed, any replica finishes the move. That replica reads
 * from Postgres where the requests of each key are counted now.
 */
export function createBanMoves(db: Database, quotas: Pick<Quotas, 'moveBan'>) {
  /**
   * Moves the bans of API keys in Redis to where the requests of these keys are counted now. Each
   * API key is locked while its ban moves, because another operator may change the key or end the
   * ban at the same time.
   *
   * @returns false if Redis is down.
   */
  async function settle(ids: readonly string[], names: string[]): Promise<boolean> {
    const found = await listAccountIds(db, names);
    const candidates = [undefined, ...found.map(({ id }) => id)];
    for (let done = 0; done < ids.length; done += maxMovedKeys) {
      const moved = await inTransaction('settle_bans', db, async (tx) => {
        const some = ids.slice(done, done + maxMovedKeys);
        await lockKeys(tx, some);
        const places = await findPlaces(tx, some);
        const moves = places.flatMap(({ id, accountId }) => {
          const to: ConsumerId = { id, accountId: accountId ?? undefined };
          return candidates
            .filter((from) => from !== to.accountId)
            .map((from) => quotas.moveBan({ id, accountId: from }, to));
        });
        return Promise.all(moves);
      });
      if (moved.includes(false)) return false;
    }
    return true;
  }

  /**
   * Carries out a recorded move of bans, and deletes its row in `ban_moves` unless Redis is down.
   *
   * @param additionalKeyIds further API keys whose bans move, such as an API key that has just left
   * the account. The list of the account does not contain this key.
   */
  async function finish(
    { id, keyId, accounts: names }: BanMove,
    additionalKeyIds: readonly string[] = [],
  ): Promise<void> {
    const ids = keyId === null ? (await listKeyIds(db, names)).map((key) => key.id) : [keyId];
    if (await settle([...new Set([...ids, ...additionalKeyIds])], names)) await deleteMove(db, id);
  }

  return {
    /**
     * Records in Postgres that bans will move, before the change that causes the move.
     *
     * @param move.keyId the API key whose account changes; `null` if the plan of an account
     * changes.
     * @param move.accounts the names of the accounts among which bans may have to move.
     */
    async begin(move: { keyId: string | null; accounts: string[] }): Promise<BanMove> {
      const [begun] = await insertMove(db, move);
      if (begun === undefined)
        throw new Error(
          'The planned move of a ban to another Redis key was not stored: the INSERT returned no row. Report this as a bug of the service.',
        );
      return begun;
    },

    finish,

    /**
     * Returns the ids of the accounts that may still store a ban of an API key, because a move of
     * the ban has not ended. In a Redis Cluster, the move of a replica that has stopped can leave
     * copies of the ban in both accounts.
     */
    async findPendingAccountIds(tx: Database, keyId: string): Promise<string[]> {
      return (await listPendingAccountIds(tx, keyId)).map(({ id }) => id);
    },

    /**
     * Finishes the moves of bans that other replicas of the service, or this one, could not finish.
     */
    async finishAll(): Promise<void> {
      for (const move of await listMoves(db, unfinishedAfterSeconds)) await finish(move);
    },
  };
}
