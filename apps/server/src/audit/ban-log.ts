import { and, asc, eq, gt, gte, lt, lte, or, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { apiKeys, auditEntries, openBans } from '../database/schema.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { type Cause, recordAudit } from './audit-log.ts';

/** A ban, by the clock that decided it. */
export interface Ban {
  readonly keyId: string;
  readonly startedAt: string;
  readonly until: string;
}

const theService: Cause = {
  actor: { type: 'system', id: null, name: 'system' },
  requestId: null,
  reason: undefined,
};

/** How many bans one transaction ends. */
const batchSize = 100;

const findLabels = statement('find_key_labels', (db, id: string) =>
  db
    .select({ name: apiKeys.name, account: apiKeys.account })
    .from(apiKeys)
    .where(eq(apiKeys.id, id)),
);

const insertOpenBan = statement('insert_open_ban', (db, ban: Ban) =>
  db.insert(openBans).values(ban).onConflictDoNothing(),
);

const findUnban = statement('find_unban', (db, { keyId, startedAt }: Ban) =>
  db
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.subjectId, keyId),
        gte(auditEntries.at, startedAt),
        eq(auditEntries.action, 'key.unbanned'),
      ),
    )
    .limit(1),
);

const takeOver = statement('take_expired_bans', (db, forgottenAt: string | undefined) =>
  db
    .delete(openBans)
    .where(
      sql`(${openBans.keyId}, ${openBans.startedAt}) in (${db
        .select({ keyId: openBans.keyId, startedAt: openBans.startedAt })
        .from(openBans)
        .where(
          or(
            lte(openBans.until, sql`now()`),
            forgottenAt === undefined ? undefined : lt(openBans.startedAt, forgottenAt),
          ),
        )
        .orderBy(asc(openBans.until))
        .limit(batchSize)
        .for('update', { skipLocked: true })})`,
    )
    .returning(),
);

const takeOfKey = statement('take_bans_of_key', (db, keyId: string) =>
  db
    .delete(openBans)
    .where(and(eq(openBans.keyId, keyId), gt(openBans.until, sql`now()`)))
    .returning(),
);

/** Records the start and the end of bans. */
export function createBanLog(db: Database) {
  return {
    /** Records the start of a ban. A repetition changes nothing. */
    start: (ban: Ban): Promise<void> =>
      inTransaction('record_ban', db, async (tx) => {
        const isNew = await recordBan(tx, ban, 'ban.started', ban.startedAt);
        // The key was unbanned before the start of its ban got here.
        if (isNew && (await findUnban(tx, ban)).length === 0) await insertOpenBan(tx, ban);
      }),

    /**
     * Records the end of bans that are over. Each is recorded by one replica: the row of a ban is deleted
     * in the same transaction.
     *
     * @param forgottenAt when all bans that had begun were forgotten, if they were.
     * @returns whether there may be more.
     */
    end: (forgottenAt?: string): Promise<boolean> =>
      inTransaction('end_bans', db, async (tx) => {
        const bans = await takeOver(tx, forgottenAt);
        for (const ban of bans) {
          const isForgotten = forgottenAt !== undefined && forgottenAt < ban.until;
          await recordBan(tx, ban, 'ban.ended', isForgotten ? forgottenAt : ban.until);
        }
        return bans.length === batchSize;
      }),
  };
}

/**
 * Takes the bans of a key from those that will end by themselves.
 *
 * @returns when the last of them would have ended; `undefined` if there is none.
 */
export async function takeOpenBan(tx: Database, keyId: string): Promise<string | undefined> {
  const bans = await takeOfKey(tx, keyId);
  return bans
    .map(({ until }) => until)
    .sort()
    .at(-1);
}

async function recordBan(
  tx: Database,
  { keyId, until }: Ban,
  action: 'ban.started' | 'ban.ended',
  at: string,
): Promise<boolean> {
  const [labels] = await findLabels(tx, keyId);
  const banned = { bannedUntil: until };
  const free = { bannedUntil: null };
  return await recordAudit(tx, {
    cause: theService,
    at,
    action,
    subject: { type: 'key', id: keyId, name: null, account: null, ...labels },
    ...(action === 'ban.started'
      ? { before: free, after: banned }
      : { before: banned, after: free }),
  });
}
