import { type RecentUse, type UsageBucket, usageBucketSeconds } from '@animal-store/admin-contract';
import { deprecations, type PlanName, planNames } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { accounts, apiKeys } from '../schema/schema.ts';
import { planCode, totalId } from './usage-entry.ts';
import { bucketMinutes, counts, isDenied, largestTotalId, written } from './usage-tables.ts';

export type UsageQueries = ReturnType<typeof createUsageQueries>;

const hourMs = 3_600_000;

/** What a query is about: one API key, or all keys that match a filter. */
type UsageSubject = { readonly keyId: string } | UsageFilter;

interface UsageFilter {
  readonly plan?: PlanName | undefined;
  readonly account?: string | undefined;
}

/** A time range that includes `from` and excludes `to`. */
export interface UsageRange {
  readonly from: string;
  readonly to: string;
}

const requests = sql<number>`sum(${counts.requests})`.mapWith(Number);

const planInForce = sql<PlanName>`coalesce((select plan from ${accounts} where ${accounts.name} = ${apiKeys.account}),
  ${apiKeys.plan})`;

/**
 * Returns the SQL condition that an API key currently has the given account and the given plan.
 * Both are optional.
 */
const matchesFilter = ({ plan, account }: UsageFilter) =>
  and(
    account === undefined ? undefined : eq(apiKeys.account, account),
    plan === undefined ? undefined : eq(planInForce, plan),
  );

function matchesSubject(subject: UsageSubject): SQL {
  if ('keyId' in subject) return eq(counts.keyId, subject.keyId);
  const { plan, account } = subject;
  if (account === undefined) {
    const plans = plan === undefined ? [undefined, ...planNames] : [plan];
    return inArray(
      counts.keyId,
      plans.map((name) => totalId(planCode(name))),
    );
  }
  return hasKeyWith(matchesFilter(subject));
}

/**
 * Returns the SQL condition that a row of counts belongs to an API key with a given property. The
 * condition compares the id of the key with an array, because Postgres then uses the index.
 */
const hasKeyWith = (condition: SQL | undefined): SQL =>
  sql`${counts.keyId} = any (array(select ${apiKeys.id} from ${apiKeys} where ${condition}))`;

const isWithin = (bucket: UsageBucket, { from, to }: UsageRange) =>
  and(eq(counts.span, bucketMinutes(bucket)), gte(counts.at, from), lt(counts.at, to));

/** Sums requests by bucket, operation and outcome, and also by the columns in `groupColumns`. */
function sumRequests<By extends { readonly keyId?: typeof counts.keyId }>(
  db: Database,
  condition: SQL | undefined,
  groupColumns: By,
) {
  const { at, operation, outcome } = counts;
  return db
    .select({ ...groupColumns, at, operation, outcome, requests })
    .from(counts)
    .where(condition)
    .groupBy(...Object.values(groupColumns), at, operation, outcome)
    .orderBy(at, operation, outcome);
}

const readUsage = statement(
  'read_usage',
  (db, bucket: UsageBucket, subject: UsageSubject, range: UsageRange) =>
    sumRequests(db, and(matchesSubject(subject), isWithin(bucket, range)), {}),
);

const readUsageOfKeys = statement(
  'read_usage_of_keys',
  (db, bucket: UsageBucket, keyIds: string[], range: UsageRange) =>
    sumRequests(db, and(inArray(counts.keyId, keyIds), isWithin(bucket, range)), {
      keyId: counts.keyId,
    }),
);

const listBusiestKeys = statement(
  'list_busiest_keys',
  (db, filter: UsageFilter, range: UsageRange, limit: number) => {
    const sum = sql<number>`busy.requests`.mapWith(Number);
    const { account, plan } = filter;
    // The subquery is sorted, so that Postgres looks up API keys only until the list is full.
    // Without a filter, the subquery returns only as many keys as the list needs, so that Postgres
    // does not sort all keys.
    const most = account === undefined && plan === undefined ? sql`limit ${limit}` : sql`offset 0`;
    const busy = sql`(select ${counts.keyId}, ${requests} as requests from ${counts}
      where ${and(isWithin('day', range), account === undefined ? undefined : hasKeyWith(eq(apiKeys.account, account)))} and ${counts.keyId} > ${largestTotalId}
      group by ${counts.keyId} order by 2 desc, 1 ${most}) busy`;
    return db
      .select({
        keyId: apiKeys.id,
        name: apiKeys.name,
        account: apiKeys.account,
        plan: planInForce,
        requests: sum,
      })
      .from(busy)
      .innerJoin(apiKeys, sql`${apiKeys.id} = busy.key_id`)
      .where(matchesFilter(filter))
      .orderBy(sql`${sum} desc`, apiKeys.id)
      .limit(limit);
  },
);

/** The columns that identify a caller: an account, or an API key without an account. */
const caller = {
  account: apiKeys.account,
  keyId: sql<string | null>`case when ${apiKeys.account} is null then ${apiKeys.id} end`,
  name: sql<string | null>`case when ${apiKeys.account} is null then ${apiKeys.name} end`,
};

/**
 * How many of the API keys with the most 429 responses are read. Their sums decide which callers
 * (accounts or single keys) got the most 429 responses.
 */
const lookedAtKeys = 1_000;

const listDeniedCallers = statement(
  'list_denied_callers',
  (db, bucket: UsageBucket, range: UsageRange, limit: number) => {
    const denials = sql<number>`sum(denied.requests)`.mapWith(Number);
    return db
      .select({ ...caller, denials })
      .from(sql`(select ${counts.keyId}, sum(${counts.requests}) as requests from ${counts}
        where ${and(isWithin(bucket, range), isDenied)}
        group by ${counts.keyId} order by 2 desc limit ${lookedAtKeys}) denied`)
      .innerJoin(apiKeys, sql`${apiKeys.id} = denied.key_id`)
      .groupBy(...Object.values(caller))
      .orderBy(sql`${denials} desc`, caller.account, caller.keyId)
      .limit(limit);
  },
);

const sumAccounts = statement('sum_usage_of_accounts', (db, names: string[], range: UsageRange) =>
  db
    .select({
      account: sql<string>`${apiKeys.account}`,
      requests,
      denied: sql<number>`coalesce(sum(${counts.requests}) filter (where ${isDenied}), 0)`.mapWith(
        Number,
      ),
    })
    .from(apiKeys)
    .innerJoin(counts, eq(counts.keyId, apiKeys.id))
    .where(and(hasKeyWith(inArray(apiKeys.account, names)), isWithin('day', range)))
    .groupBy(apiKeys.account),
);

export const liveSeconds = 60;

const readLiveTraffic = statement('read_live_traffic', (db) =>
  db
    .select({ replica: written.replica, outcomes: written.outcomes, latencies: written.latencies })
    .from(written)
    .where(gte(written.at, sql`now() - make_interval(secs => ${liveSeconds})`)),
);

/**
 * A list of API keys shows the requests of each key in the last `recentHours`, and its calls of
 * deprecated operations in the last `recentDays`.
 */
const recentHours = 24;
const recentDays = 30;

/**
 * Returns the time range of the last `count` buckets, including the current one.
 *
 * @param now the Unix time in milliseconds.
 */
export function lastBuckets(count: number, bucket: UsageBucket, now: number): UsageRange {
  const bucketMs = usageBucketSeconds[bucket] * 1_000;
  const end = Math.floor(now / bucketMs) + 1;
  const at = (place: number) => new Date(place * bucketMs).toISOString();
  return { from: at(end - count), to: at(end) };
}

/**
 * Creates the queries about usage. The usage tables contain the counts that all replicas of the
 * service have written so far.
 */
export function createUsageQueries(db: Database) {
  return {
    read: (bucket: UsageBucket, subject: UsageSubject, range: UsageRange) =>
      readUsage(db, bucket, subject, range),

    /**
     * Returns the API keys with the most requests in a range of days, with the busiest key first.
     */
    listBusiest: (filter: UsageFilter, range: UsageRange, limit: number) =>
      listBusiestKeys(db, filter, range, limit),

    /** Returns the callers with the most 429 responses in a time range. */
    listDenied: (bucket: UsageBucket, range: UsageRange, limit: number) =>
      listDeniedCallers(db, bucket, range, limit),

    /** Returns the busiest API keys, and their requests by day. */
    async readBusiest(filter: UsageFilter, range: UsageRange, limit: number) {
      const keys = await listBusiestKeys(db, filter, range, limit);
      const ids = keys.map(({ keyId }) => keyId);
      const rowsOf = Map.groupBy(
        await readUsageOfKeys(db, 'day', ids, range),
        ({ keyId }) => keyId,
      );
      return { keys, rows: ids.flatMap((id) => rowsOf.get(id) ?? []) };
    },

    /**
     * Sums the requests and the 429 responses of accounts in a range of whole days. Returns a
     * function that looks up the sums by an account's name.
     */
    async sumOfAccounts(names: string[], range: UsageRange) {
      const sums = await sumAccounts(db, names, range);
      const found = new Map(sums.map(({ account, ...sum }) => [account, sum]));
      return (name: string) => {
        const { requests, denied } = found.get(name) ?? { requests: 0, denied: 0 };
        return { requestsToday: requests, deniedToday: denied };
      };
    },

    /**
     * Adds the recent usage to each API key.
     *
     * @param now the Unix time in milliseconds.
     */
    async addRecent<Key extends { readonly id: string }>(keys: readonly Key[], now: number) {
      const ids = keys.map(({ id }) => id);
      const range = lastBuckets(recentHours, 'hour', now);
      const [hours, days] = await Promise.all([
        readUsageOfKeys(db, 'hour', ids, range),
        readUsageOfKeys(db, 'day', ids, lastBuckets(recentDays, 'day', now)),
      ]);
      const recent = new Map<string, RecentUse>(
        ids.map((id) => [
          id,
          {
            byHour: Array(recentHours).fill(0),
            requestsToday: 0,
            deniedToday: 0,
            deprecatedCalls: 0,
          },
        ]),
      );
      const midnight = lastBuckets(1, 'day', now).from;
      for (const { keyId, at, requests } of hours) {
        const { byHour = [] } = recent.get(keyId) ?? {};
        const place = (Date.parse(at) - Date.parse(range.from)) / hourMs;
        byHour[place] = (byHour[place] ?? 0) + requests;
      }
      for (const { keyId, at, operation, outcome, requests } of days) {
        const use = recent.get(keyId);
        if (use && at >= midnight) {
          use.requestsToday += requests;
          if (outcome === 'denied' || outcome === 'banned') use.deniedToday += requests;
        }
        if (use && operation in deprecations && outcome !== 'refused') {
          use.deprecatedCalls += requests;
        }
      }
      return keys.map((key) => ({ ...key, recent: recent.get(key.id) }));
    },

    /**
     * Reads how many requests all replicas of the service have handled in the last {@link
     * liveSeconds} seconds. The result has one item for each batch of counts that a replica has
     * written in this time.
     */
    readTraffic: () => readLiveTraffic(db),
  };
}
