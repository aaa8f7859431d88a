import type { Database } from '@animal-store/postgres';
import { DatabaseUnavailableError, inTransaction, statement } from '@animal-store/postgres';
import { and, eq, lt, lte, or, sql } from 'drizzle-orm';
import { isOpen } from '../schema/current-bans.ts';
import { apiKeys, auditEntries, openBans } from '../schema/schema.ts';
import { type Cause, recordAudit } from './audit-log.ts';

/** A ban, by the clock that decided it. */
export interface Ban {
  readonly keyId: string;
  readonly startedAt: string;
  readonly until: string;
  /** Whether all replicas refuse the key, or the one that decided alone while Redis was away. */
  readonly scope: 'service' | 'replica';
}

/** Why a ban began, if one replica decided it alone. */
const decidedAlone = 'Redis was away from one replica, which decided alone.';

const theService: Cause = {
  actor: { type: 'system', id: null, name: 'system' },
  requestId: null,
  reason: undefined,
};

/** How many bans wait for the database: about 2 MB. */
const maxWaiting = 10_000;

const findLabels = statement('find_key_labels', (db, id: string) =>
  db
    .select({ name: apiKeys.name, account: apiKeys.account })
    .from(apiKeys)
    .where(eq(apiKeys.id, id)),
);

/** Not if the key was unbanned before the start of its ban got here. */
const insertOpenBan = statement('insert_open_ban', (db, { keyId, startedAt, until }: Ban) =>
  db.execute(sql`insert into ${openBans} (key_id, started_at, until)
    select ${keyId}::uuid, ${startedAt}::timestamptz, ${until}::timestamptz
    where not exists (select from ${auditEntries} where ${auditEntries.subjectId} = ${keyId}
      and ${auditEntries.at} >= ${startedAt} and ${auditEntries.action} = 'key.unbanned')
    on conflict do nothing`),
);

/** Deletes bans that are over. `forgottenAt` is when all that had begun were forgotten, if they were. */
export const deleteOverBans = statement('delete_bans', (db, forgottenAt: string | undefined) =>
  db
    .delete(openBans)
    .where(
      or(
        lte(openBans.until, sql`now()`),
        forgottenAt ? lt(openBans.startedAt, forgottenAt) : undefined,
      ),
    ),
);

const takeOfKey = statement('take_bans_of_key', (db, keyId: string) =>
  db
    .delete(openBans)
    .where(and(eq(openBans.keyId, keyId), isOpen))
    .returning(),
);

const deleteBan = statement('delete_ban', (db, { keyId, startedAt }: Ban) =>
  db.delete(openBans).where(and(eq(openBans.keyId, keyId), eq(openBans.startedAt, startedAt))),
);

/**
 * Deletes the bans of a key that end at a time, or before it, and were decided by Redis. One that a replica decided
 * alone is in force there until Redis is back: then that replica deletes it.
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
            and ${auditEntries.reason} = ${decidedAlone})`,
        ),
      )
      .returning({ keyId: openBans.keyId }),
);

/**
 * Creates what records bans: their starts in the audit log, and those that run in a table of their own.
 * Bans begin on requests that write nothing to the database, so they wait in memory until they are written.
 */
export function createBanLog(
  db: Database,
  { onLost, onFailure }: { onLost(bans: number): void; onFailure(failure: unknown): void },
) {
  const waiting: Ban[] = [];
  /** Bans that this replica decided alone, and those of them that are over. */
  const own: Ban[] = [];
  const over: Ban[] = [];

  /** Writes a ban. A repetition, if it is not known whether the first try succeeded, changes nothing. */
  const start = (ban: Ban): Promise<void> =>
    inTransaction('record_ban', db, async (tx) => {
      const { keyId, startedAt, until, scope } = ban;
      const [labels] = await findLabels(tx, keyId);
      await recordAudit(tx, {
        cause: scope === 'replica' ? { ...theService, reason: decidedAlone } : theService,
        at: startedAt,
        action: 'ban.started',
        subject: { type: 'key', id: keyId, name: null, account: null, ...labels },
        before: { bannedUntil: null },
        after: { bannedUntil: until },
      });
      await insertOpenBan(tx, ban);
    });

  return {
    /** Adds a ban. If there is no room, it is lost. */
    add(ban: Ban): void {
      if (ban.scope === 'replica' && own.length < maxWaiting) own.push(ban);
      if (waiting.length < maxWaiting) waiting.push(ban);
      else onLost(1);
    },

    /** Ends the bans that were decided alone. */
    endOwn(): void {
      over.push(...own.splice(0));
    },

    /**
     * Writes all bans, in their order. If the database is unavailable, those that are left wait for the
     * next call. Must not be called while it runs.
     */
    async write(): Promise<void> {
      for (let ban = waiting[0]; ban !== undefined; ban = waiting[0]) {
        try {
          await start(ban);
        } catch (error) {
          if (error instanceof DatabaseUnavailableError) throw error;
          // Trying again would fail again, and hold up the bans behind it.
          onFailure(error);
          onLost(1);
        }
        waiting.shift();
      }
      for (let ban = over[0]; ban !== undefined; ban = over[0]) {
        await deleteBan(db, ban);
        over.shift();
      }
    },

    /** Reports everything that was not written as lost. */
    giveUp(): void {
      if (waiting.length > 0) onLost(waiting.length);
      waiting.length = 0;
    },
  };
}

/** Takes the bans of a key from those that run. @returns when the last of them would have ended, if there is one. */
export async function takeOpenBan(tx: Database, keyId: string): Promise<string | undefined> {
  const ends = (await takeOfKey(tx, keyId)).map(({ until }) => until);
  return ends.sort().at(-1);
}
