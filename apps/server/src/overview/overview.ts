import { type Overview, type UsageOutcome, usageOutcomes } from '@animal-store/contract/admin';
import { count, desc, eq, gt, max, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { isActive } from '../database/lifetime.ts';
import { accounts, apiKeys, openBans } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { ReplicaCount } from '../replicas/replica-count.ts';
import type { Clock } from '../shared/clock.ts';
import { mergeTraffic, quantileMs } from '../usage/live-traffic.ts';
import { liveSeconds, type UsageQueries } from '../usage/usage-queries.ts';

/** How many bans are shown. */
const shownBans = 10;

const isOpen = gt(openBans.until, sql`now()`);

/** Counts the keys that are neither expired nor revoked, suspended or not. */
const countAllKeys = statement('count_keys', (db) =>
  db.select({ keys: count() }).from(apiKeys).where(isActive(apiKeys)),
);

/** Of these, those that are suspended themselves, and the others whose account is, from their indexes. */
const countSuspendedKeys = statement('count_suspended_keys', (db) =>
  db.select({ keys: count() }).from(sql`(
    select from ${apiKeys} where ${apiKeys.suspendedAt} is not null and ${isActive(apiKeys)}
    union all
    select from ${accounts} cross join lateral (
      select from ${apiKeys} where ${apiKeys.account} = ${accounts.name}
        and ${apiKeys.suspendedAt} is null and ${isActive(apiKeys)} offset 0
    ) with_account where ${accounts.suspendedAt} is not null) suspended`),
);

async function countKeys(db: Database): Promise<Pick<Overview['keys'], 'active' | 'suspended'>> {
  const [[all], [of]] = await Promise.all([countAllKeys(db), countSuspendedKeys(db)]);
  const suspended = of?.keys ?? 0;
  // A key may have been revoked between the two statements.
  return { active: Math.max((all?.keys ?? 0) - suspended, 0), suspended };
}

const countBannedKeys = statement('count_banned_keys', (db) =>
  db
    .select({ keys: sql<number>`count(distinct ${openBans.keyId})`.mapWith(Number) })
    .from(openBans)
    .where(isOpen),
);

/** The end of the last ban of a key: it may have two, as replicas ban by themselves while Redis is away. */
const lastEnd = max(openBans.until);

const listOpenBans = statement('list_open_bans', (db) =>
  db
    .select({
      keyId: openBans.keyId,
      name: apiKeys.name,
      until: sql<string>`${lastEnd}`.mapWith(openBans.until),
    })
    .from(openBans)
    .innerJoin(apiKeys, eq(apiKeys.id, openBans.keyId))
    .where(isOpen)
    .groupBy(openBans.keyId, apiKeys.name)
    .orderBy(desc(lastEnd))
    .limit(shownBans),
);

export type OverviewReader = ReturnType<typeof createOverview>;

/** Reads how the service is doing. */
export function createOverview(options: {
  db: Database;
  clock: Clock;
  /** How long the numbers of active and suspended keys are good for. */
  countedForMs: number;
  replicas: Pick<ReplicaCount, 'count'>;
  usage: Pick<UsageQueries, 'readTraffic'>;
  stores: Overview['stores'];
}) {
  const { db, clock, countedForMs, replicas, usage, stores } = options;
  let counted: { readonly keys: ReturnType<typeof countKeys>; readonly at: number } | undefined;

  /** Counts at most once at a time, however many operators look. */
  function countOnce(): ReturnType<typeof countKeys> {
    if (counted === undefined || clock.elapsed() - counted.at > countedForMs) {
      const keys = countKeys(db);
      counted = { keys, at: clock.elapsed() };
      keys.catch(() => {
        counted = undefined;
      });
    }
    return counted.keys;
  }

  return {
    async read(): Promise<Omit<Overview, 'readiness' | 'history'>> {
      const [keys, [banned], bans, flushes] = await Promise.all([
        countOnce(),
        countBannedKeys(db),
        listOpenBans(db),
        usage.readTraffic(),
      ]);
      const traffic = mergeTraffic(flushes);
      return {
        at: new Date(clock.now()).toISOString(),
        replicas: {
          count: replicas.count(),
          reporting: new Set(flushes.map(({ replica }) => replica)).size,
        },
        traffic: {
          seconds: liveSeconds,
          requests: byOutcome(traffic.outcomes),
          p50Ms: rounded(quantileMs(traffic, 0.5)),
          p99Ms: rounded(quantileMs(traffic, 0.99)),
        },
        keys: {
          ...keys,
          banned: banned?.keys ?? 0,
        },
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
