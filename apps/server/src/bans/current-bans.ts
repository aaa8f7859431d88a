import { statement } from '@animal-store/postgres';
import { and, desc, eq, gt, max, type SQL, sql } from 'drizzle-orm';
import { isActive } from '../schema/lifetime.ts';
import { apiKeys, openBans } from '../schema/schema.ts';

/** The SQL condition that a ban has not ended. */
export const isOpen = gt(openBans.until, sql`now()`);

/**
 * The SQL condition that a ban has not ended, and that its API key is neither revoked nor expired.
 * The requests of a revoked or expired key are refused anyway, and no operator can unban it. So all
 * lists and counts of bans skip such a key.
 */
export const isInForce = and(isOpen, isActive(apiKeys));

/**
 * The SQL expression for the end of an API key's last ban. A key may have several bans, because
 * each replica of the service may ban it without the others while Redis is unavailable.
 */
const lastEnd = max(openBans.until);

/** Returns the banned API keys. The keys with the latest end of the ban come first. */
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
      .where(and(isInForce, condition))
      .groupBy(openBans.keyId, apiKeys.name)
      .orderBy(desc(lastEnd))
      .limit(limit),
);

export interface ListedBan {
  readonly keyId: string;
  readonly until: string;
}

/**
 * A function that runs a query for bans. If Redis has lost some of these bans, the function deletes
 * them from the table and repeats the query. The number of repetitions is limited.
 */
export type ReadBans = <Found>(
  read: () => Promise<Found>,
  bansOf: (found: Found) => readonly ListedBan[],
) => Promise<Found>;

/**
 * Runs the query once, for a service without Redis. Without Redis, one process counts all requests
 * and writes all bans, so every ban in the table is still active.
 */
export const readBansAsStored: ReadBans = (read) => read();
