import type { Database } from '@animal-store/postgres';
import { DatabaseUnavailableError, inTransaction, oneRow, statement } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { and, eq, gt, lt, lte, or, sql } from 'drizzle-orm';
import { type Cause, recordAudit } from '../audit/audit-log.ts';
import { isOpen } from '../bans/current-bans.ts';
import { apiKeys, auditEntries, openBans } from '../schema/schema.ts';

/**
 * A ban of an API key. The times come from the clock of Redis or of this replica, depending on
 * which of them imposed the ban. If that clock is wrong, the ban is stored with other times: see
 * {@link toDatabaseTime}.
 */
export interface Ban {
  readonly keyId: string;
  readonly startedAt: string;
  readonly until: string;
  /**
   * Which replicas of the service refuse the API key. `service` means that Redis imposed the ban
   * and all replicas refuse the key. `replica` means that one replica imposed the ban while Redis
   * was unavailable.
   */
  readonly scope: 'service' | 'replica';
}

/**
 * The reason in the audit log for a ban that one replica of the service imposed while Redis was
 * unavailable. The text must not change. {@link deleteForgottenBans} compares stored entries with
 * it, also in replicas of other versions during a rolling update.
 */
const banReasonWithoutRedis = 'Redis was away from one replica, which decided alone.';

const serviceCause: Cause = {
  actor: { type: 'system', id: null, name: 'system' },
  requestId: null,
  reason: undefined,
};

/** The largest number of bans that wait in memory until they are written. They use about 2 MB. */
const maxWaiting = 10_000;

/**
 * The largest difference between the clock that imposed a ban and the clock of the database at
 * which the ban is stored with its own times. Synchronized clocks differ by much less. Within this
 * difference, operators see exactly the same end as the caller.
 */
const maxDifferenceMs = 2_000;

/** A ban in the memory of this replica. */
interface KeptBan {
  readonly ban: Ban;
  /** The time at which the ban was added, by `clock.elapsed()`. */
  readonly addedAtMs: number;
  /**
   * The ban with the times that are stored. They are computed only once, so that a repeated write
   * changes nothing.
   */
  stored?: Ban;
}

const readClock = statement('read_clock', (db) =>
  db.select({ now: sql<string>`clock_timestamp()`.mapWith(openBans.until) }).from(oneRow),
);

/** Returns the time of the database's clock, in Unix milliseconds. */
export async function readDatabaseTime(db: Database): Promise<number> {
  const [row] = await readClock(db);
  return Date.parse(row?.now ?? '');
}

/**
 * Returns a ban with the times that are stored. If the clock that imposed the ban differs from the
 * clock of the database, the times are converted to the clock of the database. Postgres compares
 * the stored times with its own clock, to find active bans and unbans after the start of the ban.
 * With the times of a clock that was a year ahead, the ban would be listed for a year, and the
 * audit log would show the ban above all later entries.
 *
 * @param elapsedMs the current time by `clock.elapsed()`.
 */
function toDatabaseTime(
  { ban, addedAtMs }: KeptBan,
  elapsedMs: number,
  databaseTimeMs: number,
): Ban {
  const addedAtDatabaseMs = databaseTimeMs - (elapsedMs - addedAtMs);
  const differenceMs = Date.parse(ban.startedAt) - addedAtDatabaseMs;
  if (Math.abs(differenceMs) <= maxDifferenceMs) return ban;
  const convert = (at: string) => new Date(Date.parse(at) - differenceMs).toISOString();
  return { ...ban, startedAt: convert(ban.startedAt), until: convert(ban.until) };
}

const findLabels = statement('find_key_labels', (db, id: string) =>
  db
    .select({ name: apiKeys.name, account: apiKeys.account })
    .from(apiKeys)
    .where(eq(apiKeys.id, id)),
);

/**
 * Inserts an active ban, unless an unban was recorded after the start of the ban. Bans are written
 * in the background, so an operator may end a ban before the ban is written.
 */
const insertOpenBan = statement('insert_open_ban', (db, { keyId, startedAt, until }: Ban) =>
  db.execute(sql`insert into ${openBans} (key_id, started_at, until)
    select ${keyId}::uuid, ${startedAt}::timestamptz, ${until}::timestamptz
    where not exists (select from ${auditEntries} where ${auditEntries.subjectId} = ${keyId}
      and ${auditEntries.at} >= ${startedAt} and ${auditEntries.action} = 'key.unbanned')
    on conflict do nothing`),
);

/**
 * Deletes bans that have ended, and bans that start in the future. The clock of the database was set
 * back after such a ban was stored, and the ban ends long before the stored end, because the quotas
 * shorten it to its length. If `forgottenAt` is given, the bans that started before this time
 * are also deleted. The quotas have lost these bans, because the quotas kept them in the memory of
 * a process that has ended.
 */
export const deleteEndedBans = statement('delete_bans', (db, forgottenAt: string | undefined) =>
  db
    .delete(openBans)
    .where(
      or(
        lte(openBans.until, sql`now()`),
        gt(openBans.startedAt, sql`now() + interval '1 minute'`),
        forgottenAt ? lt(openBans.startedAt, forgottenAt) : undefined,
      ),
    ),
);

const deleteOpenBansOfKey = statement('take_bans_of_key', (db, keyId: string) =>
  db
    .delete(openBans)
    .where(and(eq(openBans.keyId, keyId), isOpen))
    .returning(),
);

const deleteBan = statement('delete_ban', (db, { keyId, startedAt }: Ban) =>
  db.delete(openBans).where(and(eq(openBans.keyId, keyId), eq(openBans.startedAt, startedAt))),
);

/**
 * Deletes the bans that Redis imposed on an API key and that end at the given time or earlier. A
 * ban that one replica of the service imposed is not deleted. That replica enforces the ban until
 * Redis is available again, and then deletes the ban itself.
 */
export const deleteForgottenBans = statement(
  'delete_forgotten_bans',
  (db, keyId: string, until: string) =>
    db
      .delete(openBans)
      .where(
        and(
          eq(openBans.keyId, keyId),
          lte(openBans.until, until),
          sql`not exists (select from ${auditEntries} where ${auditEntries.subjectId} = ${openBans.keyId}
            and ${auditEntries.at} = ${openBans.startedAt} and ${auditEntries.action} = 'ban.started'
            and ${auditEntries.reason} = ${banReasonWithoutRedis})`,
        ),
      )
      .returning({ keyId: openBans.keyId }),
);

/**
 * Creates the writer of bans. The writer records the start of each ban in the audit log, and keeps
 * a table of active bans. A ban waits in memory until it is written, so that the request that
 * causes the ban does not wait for the database.
 */
export function createBanLog(
  db: Database,
  options: {
    clock: Pick<Clock, 'elapsed'>;
    onLost(bans: number): void;
    onFailure(failure: unknown): void;
  },
) {
  const { clock, onLost, onFailure } = options;
  const waiting: KeptBan[] = [];
  /**
   * The bans that this replica of the service imposed while Redis was unavailable. `own` contains
   * the active bans. `over` contains the ended bans, which are not yet deleted in the database.
   */
  const own: KeptBan[] = [];
  const over: KeptBan[] = [];

  /**
   * Writes a ban. Writing the same ban again changes nothing, so a write whose result is unknown
   * can be repeated.
   */
  async function start(kept: KeptBan): Promise<void> {
    if (kept.stored === undefined) {
      const databaseTimeMs = await readDatabaseTime(db);
      // The time is read after the response, because the statement may wait for a connection before
      // Postgres reads its clock.
      kept.stored = toDatabaseTime(kept, clock.elapsed(), databaseTimeMs);
    }
    const ban = kept.stored;
    await inTransaction('record_ban', db, async (tx) => {
      const { keyId, startedAt, until, scope } = ban;
      const [labels] = await findLabels(tx, keyId);
      await recordAudit(tx, {
        cause:
          scope === 'replica' ? { ...serviceCause, reason: banReasonWithoutRedis } : serviceCause,
        at: startedAt,
        action: 'ban.started',
        subject: { type: 'key', id: keyId, name: null, account: null, ...labels },
        before: { bannedUntil: null },
        after: { bannedUntil: until },
      });
      await insertOpenBan(tx, ban);
    });
  }

  return {
    /**
     * Adds a ban to the bans that wait to be written. If too many bans wait, the ban is reported as
     * lost.
     */
    add(ban: Ban): void {
      const kept = { ban, addedAtMs: clock.elapsed() };
      if (ban.scope === 'replica' && own.length < maxWaiting) own.push(kept);
      if (waiting.length < maxWaiting) waiting.push(kept);
      else onLost(1);
    },

    /**
     * Marks as ended the bans that this replica of the service imposed while Redis was unavailable.
     * The next `write` deletes them.
     */
    endReplicaBans(): void {
      over.push(...own.splice(0));
    },

    /**
     * Writes all waiting bans in the order in which they were added. If the database becomes
     * unavailable, the remaining bans wait for the next call. Only one call may run at a time.
     */
    async write(): Promise<void> {
      for (let ban = waiting[0]; ban !== undefined; ban = waiting[0]) {
        try {
          await start(ban);
        } catch (error) {
          if (error instanceof DatabaseUnavailableError) throw error;
          // The database has refused this ban. A second attempt would also fail, and would delay
          // all bans after this one.
          onFailure(error);
          onLost(1);
        }
        waiting.shift();
      }
      for (let ban = over[0]; ban !== undefined; ban = over[0]) {
        await deleteBan(db, ban.stored ?? ban.ban);
        over.shift();
      }
    },

    /** Reports as lost all bans that still wait to be written. */
    giveUp(): void {
      if (waiting.length > 0) onLost(waiting.length);
      waiting.length = 0;
    },
  };
}

/**
 * Deletes the active bans of an API key.
 *
 * @returns the time at which the last of them would have ended; `undefined` if the key was not
 * banned.
 */
export async function deleteOpenBan(tx: Database, keyId: string): Promise<string | undefined> {
  const ends = (await deleteOpenBansOfKey(tx, keyId)).map(({ until }) => until);
  return ends.sort().at(-1);
}
