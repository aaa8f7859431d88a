import { statement } from '@animal-store/postgres';
import { and, desc, eq, gt, max, type SQL, sql } from 'drizzle-orm';
import { apiKeys, openBans } from './schema.ts';

/** The condition that a ban has not ended. */
export const isOpen = gt(openBans.until, sql`now()`);

/** The end of the last ban of a key: it may have two, as replicas ban by themselves while Redis is away. */
const lastEnd = max(openBans.until);

/** Lists the keys that are banned now, those whose ban ends last first. */
export const listOpenBans = statement(
  'list_open_bans',
  (db, limit: number, condition?: SQL | undefined) =>
    db
      .select({
        keyId: openBans.keyId,
        name: apiKeys.name,
        until: sql<string>`${lastEnd}`.mapWith(openBans.until),
      })
      .from(openBans)
      .innerJoin(apiKeys, eq(apiKeys.id, openBans.keyId))
      .where(and(isOpen, condition))
      .groupBy(openBans.keyId, apiKeys.name)
      .orderBy(desc(lastEnd))
      .limit(limit),
);

export interface ShownBan {
  readonly keyId: string;
  readonly until: string;
}

/** Reads what shows bans, so that all that it shows are in force. */
export type ReadBans = <Found>(
  read: () => Promise<Found>,
  bansOf: (found: Found) => readonly ShownBan[],
) => Promise<Found>;

/** Without Redis, the table and the quotas are of the same process: it forgets both at once. */
export const readBansAsStored: ReadBans = (read) => read();
