import { type Overview, type UsageOutcome, usageOutcomes } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { runForAll, statement } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { count, eq, sql } from 'drizzle-orm';
import { isInForce, listOpenBans, type ReadBans } from '../bans/current-bans.ts';
import type { ReplicaCount } from '../replicas/replica-count.ts';
import { isActive } from '../schema/lifetime.ts';
import { accounts, apiKeys, openBans } from '../schema/schema.ts';
import { mergeTraffic, quantileMs } from '../usage/live-traffic.ts';
import { lastBuckets, liveSeconds, type UsageQueries } from '../usage/usage-queries.ts';

/**
 * The time for which the number of API keys is cached. Counting a million keys keeps two CPU cores
 * busy for 0.1 s. The console polls every 4.8 s, so the numbers that it shows are at most 7.3 s
 * old.
 */
const defaultCountedForMs = 2_500;

const maxShownBans = 10;
const maxShownCallers = 10;

/**
 * Counts the API keys that are neither expired nor revoked. `suspended` is the number of keys that
 * are suspended or belong to a suspended account.
 */
const countKeys = statement('count_keys', (db) =>
  db
    .select({
      keys: count(),
      suspended: sql<number>`count(*) filter (where is_suspended)`.mapWith(Number),
    })
    .from(sql`(select ${apiKeys.suspendedAt} is not null or ${apiKeys.account} in (
        select ${accounts.name} from ${accounts} where ${accounts.suspendedAt} is not null
      ) as is_suspended
      from ${apiKeys} where ${isActive(apiKeys)}) active`),
);

const countBannedKeys = statement('count_banned_keys', (db) =>
  db
    .select({ keys: sql<number>`count(distinct ${openBans.keyId})`.mapWith(Number) })
    .from(openBans)
    .innerJoin(apiKeys, eq(apiKeys.id, openBans.keyId))
    .where(isInForce),
);

export type OverviewReader = ReturnType<typeof createOverview>;

export function createOverview(options: {
  db: Database;
  clock: Clock;
  /**
   * The time for which the number of API keys is cached, in milliseconds.
   *
   * @default {@link defaultCountedForMs}
   */
  countedForMs?: number;
  replicas: Pick<ReplicaCount, 'count'>;
  usage: Pick<UsageQueries, 'readTraffic' | 'listDenied'>;
  /** A function that reads active bans, without bans that Redis has lost. */
  readBans: ReadBans;
  stores: Overview['stores'];
}) {
  const { countedForMs = defaultCountedForMs } = options;
  const { db, clock, replicas, usage, readBans, stores } = options;
  let counted: { readonly keys: ReturnType<typeof countKeys>; readonly at: number } | undefined;

  /**
   * Counts the API keys. Concurrent requests share one query, and the result is cached for a short
   * time.
   */
  function countOnce(): ReturnType<typeof countKeys> {
    if (counted === undefined || clock.elapsed() - counted.at > countedForMs) {
      // Several requests may share the query. So the query must not be canceled when the request
      // that started the query ends.
      const keys = runForAll(() => countKeys(db));
      counted = { keys, at: clock.elapsed() };
      keys.catch(() => {
        counted = undefined;
      });
    }
    return counted.keys;
  }

  async function readOpenBans() {
    const [[count], bans] = await Promise.all([
      countBannedKeys(db),
      listOpenBans(db, maxShownBans),
    ]);
    return { bans, banned: count?.keys ?? 0 };
  }

  return {
    async read(): Promise<Omit<Overview, 'readiness' | 'history'>> {
      const [[counts], { bans, banned }, flushes, denied] = await Promise.all([
        countOnce(),
        readBans(readOpenBans, (found) => found.bans),
        usage.readTraffic(),
        usage.listDenied('minute', lastBuckets(2, 'minute', clock.now()), maxShownCallers),
      ]);
      const traffic = mergeTraffic(flushes);
      const { keys = 0, suspended = 0 } = counts ?? {};
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
        keys: { active: keys - suspended, suspended, banned },
        bans,
        denied,
        stores,
      };
    },
  };
}

function byOutcome(counts: readonly number[]): Record<UsageOutcome, number> {
  const entries = usageOutcomes.map((outcome, place) => [outcome, counts[place] ?? 0]);
  return Object.fromEntries(entries) as Record<UsageOutcome, number>;
}

/** Rounds a latency to two digits, because the quantiles are not more precise. */
const rounded = (ms: number | null) => (ms === null ? null : Number(ms.toPrecision(2)));
