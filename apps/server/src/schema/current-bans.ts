import { statement } from '@animal-store/postgres';
import { and, desc, eq, gt, max, type SQL, sql } from 'drizzle-orm';
import { apiKeys, openBans } from './schema.ts';

/** The condition that a ban has not ended. */
export const isOpen = gt(openBans.until, sql`now()`);

/**
 * The end of a key's last ban. A key may have two bans, because replicas decide by themselves while
 * Redis is unavailable.
 */
const lastEnd = max(openBans.until);

/** Lists the banned keys, sorted by the end of their ban, the latest first. */
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

/** Runs a query that shows bans, and repeats it until all bans that it shows are in force. */
export type ReadBans = <Found>(
  read: () => Promise<Found>,
  bansOf: (found: Found) => readonly ShownBan[],
) => Promise<Found>;

/**
 * Runs the query once. Without Redis, the table and the quotas belong to the same process, so both
 * lose bans at the same time.
 */
export const readBansAsStored: ReadBans = (read) => read();
