import { type Overview, type UsageOutcome, usageOutcomes } from '@animal-store/contract/admin';
import { count, desc, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive } from '../database/lifetime.ts';
import type { ReplicaCount } from '../database/replica-count.ts';
import { apiKeys, openBans } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { mergeTraffic, quantileMs, type ReplicaTraffic } from '../shared/replica-traffic.ts';

/** How many bans are shown. */
const shownBans = 10;

/**
 * How long the number of active keys is good for. To count a million of them takes a tenth of a second of
 * two cores. With the pause between two questions of a page, it is at most 5 s old.
 */
const countedForMs = 2_500;

const isOpen = gt(openBans.until, sql`now()`);

const countActiveKeys = statement('count_active_keys', (db) =>
  db.select({ keys: count() }).from(apiKeys).where(isActive(apiKeys)),
);

const countBannedKeys = statement('count_banned_keys', (db) =>
  db
    .select({ keys: sql<number>`count(distinct ${openBans.keyId})`.mapWith(Number) })
    .from(openBans)
    .where(isOpen),
);

const listOpenBans = statement('list_open_bans', (db) =>
  db
    .select({ keyId: openBans.keyId, name: apiKeys.name, until: openBans.until })
    .from(openBans)
    .innerJoin(apiKeys, eq(apiKeys.id, openBans.keyId))
    .where(isOpen)
    .orderBy(desc(openBans.until))
    .limit(shownBans),
);

export type OverviewReader = ReturnType<typeof createOverview>;

/** Reads how the service is doing. */
export function createOverview(options: {
  db: Database;
  replicas: Pick<ReplicaCount, 'count' | 'peerTraffic'>;
  /** The traffic of this replica. */
  readTraffic: () => ReplicaTraffic;
  stores: Overview['stores'];
}) {
  const { db, replicas, readTraffic, stores } = options;
  let active: { readonly keys: Promise<number>; readonly at: number } | undefined;

  /** Counts at most once at a time, however many operators look. */
  function countActive(): Promise<number> {
    if (active === undefined || performance.now() - active.at > countedForMs) {
      const keys = countActiveKeys(db).then(([row]) => row?.keys ?? 0);
      active = { keys, at: performance.now() };
      keys.catch(() => {
        active = undefined;
      });
    }
    return active.keys;
  }

  return {
    async read(): Promise<Overview> {
      const [activeKeys, [banned], bans] = await Promise.all([
        countActive(),
        countBannedKeys(db),
        listOpenBans(db),
      ]);
      const reports = [readTraffic(), ...replicas.peerTraffic()];
      const traffic = mergeTraffic(reports);
      return {
        at: new Date().toISOString(),
        replicas: { count: replicas.count(), reporting: reports.length },
        traffic: {
          seconds: traffic.seconds,
          requests: byOutcome(traffic.outcomes),
          p50Ms: rounded(quantileMs(traffic, 0.5)),
          p99Ms: rounded(quantileMs(traffic, 0.99)),
        },
        keys: { active: activeKeys, banned: banned?.keys ?? 0 },
        bans,
        stores,
      };
    },
  };
}

function byOutcome(counts: readonly number[]): Record<UsageOutcome, number> {
  const entries = usageOutcomes.map((outcome, place) => [outcome, counts[place] ?? 0]);
  return Object.fromEntries(entries) as Record<UsageOutcome, number>;
}

/** Two digits say more than is known. */
const rounded = (ms: number | null) => (ms === null ? null : Number(ms.toPrecision(2)));
