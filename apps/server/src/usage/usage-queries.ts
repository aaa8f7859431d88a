import { deprecations, type PlanName, planNames } from '@animal-store/contract';
import type { RecentUse, UsageBucket } from '@animal-store/contract/admin';
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { accounts, apiKeys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { planCode, totalId } from './usage-entry.ts';
import { counts, spanOf, written } from './usage-tables.ts';

/** What can be asked of the ledger. */
export type UsageQueries = ReturnType<typeof createUsageQueries>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Whose requests a question is about: those of a key, or of all keys that a filter leaves. */
type UsageSubject = { readonly keyId: string } | UsageFilter;

/** What narrows a question about all keys. */
interface UsageFilter {
  readonly plan?: PlanName | undefined;
  readonly account?: string | undefined;
}

/** From a time on and before another. */
export interface UsageRange {
  readonly from: string;
  readonly to: string;
}

const requests = sql<number>`sum(${counts.requests})`.mapWith(Number);

/** The plan that holds for a key. */
const heldPlan = sql`coalesce((select plan from ${accounts} where ${accounts.name} = ${apiKeys.account}),
  ${apiKeys.plan})`;

/** The condition that a key has this account and plan now. */
const isOf = ({ plan, account }: UsageFilter) =>
  and(
    account === undefined ? undefined : eq(apiKeys.account, account),
    plan === undefined ? undefined : eq(heldPlan, plan),
  );

function isAbout(subject: UsageSubject): SQL {
  if ('keyId' in subject) return eq(counts.keyId, subject.keyId);
  const { plan, account } = subject;
  if (account === undefined) {
    const asked = plan === undefined ? [undefined, ...planNames] : [plan];
    return inArray(
      counts.keyId,
      asked.map((name) => totalId(planCode(name))),
    );
  }
  // As an array, so that Postgres reads the counts of these keys from the index.
  return sql`${counts.keyId} = any (array(select ${apiKeys.id} from ${apiKeys} where ${isOf(subject)}))`;
}

const isWithin = (bucket: UsageBucket, { from, to }: UsageRange) =>
  and(eq(counts.span, spanOf(bucket)), gte(counts.at, from), lt(counts.at, to));

const readUsage = statement(
  'read_usage',
  (db, bucket: UsageBucket, subject: UsageSubject, range: UsageRange) =>
    db
      .select({ at: counts.at, operation: counts.operation, outcome: counts.outcome, requests })
      .from(counts)
      .where(and(isAbout(subject), isWithin(bucket, range)))
      .groupBy(counts.at, counts.operation, counts.outcome)
      .orderBy(counts.at, counts.operation, counts.outcome),
);

const listBusiestKeys = statement(
  'list_busiest_keys',
  (db, filter: UsageFilter, range: UsageRange, limit: number) =>
    db
      .select({
        keyId: apiKeys.id,
        name: apiKeys.name,
        account: apiKeys.account,
        plan: apiKeys.plan,
        requests,
      })
      .from(counts)
      .innerJoin(apiKeys, eq(apiKeys.id, counts.keyId))
      .where(and(isWithin('day', range), isOf(filter)))
      .groupBy(apiKeys.id)
      .orderBy(sql`${requests} desc`, apiKeys.id)
      .limit(limit),
);

/** The requests of all keys of some accounts together. */
const sumAccounts = statement('sum_usage_of_accounts', (db, names: string[], range: UsageRange) =>
  db
    .select({ account: sql<string>`${apiKeys.account}`, requests })
    .from(apiKeys)
    .innerJoin(counts, eq(counts.keyId, apiKeys.id))
    .where(and(inArray(apiKeys.account, names), isWithin('day', range)))
    .groupBy(apiKeys.account),
);

/** The requests of some keys, each by itself. */
const readKeys = statement(
  'read_usage_of_keys',
  (db, bucket: UsageBucket, keyIds: readonly string[], range: UsageRange) =>
    db
      .select({
        keyId: counts.keyId,
        at: counts.at,
        operation: counts.operation,
        outcome: counts.outcome,
        requests,
      })
      .from(counts)
      .where(and(inArray(counts.keyId, [...keyIds]), isWithin(bucket, range)))
      .groupBy(counts.keyId, counts.at, counts.operation, counts.outcome)
      .orderBy(counts.at, counts.operation, counts.outcome),
);

/** How many seconds live traffic covers. */
export const liveSeconds = 60;

const readLiveTraffic = statement('read_live_traffic', (db) =>
  db
    .select({
      replica: written.replica,
      outcomes: written.outcomes,
      latencies: written.latencies,
    })
    .from(written)
    .where(gte(written.at, sql`now() - make_interval(secs => ${liveSeconds})`)),
);

/** The spans of time in which a list of keys tells what they were used for. */
const recentHours = 24;
const recentDays = 30;

/** The last whole buckets until now, and the one that has begun. */
function lastBuckets(count: number, bucketMs: number, now: number): UsageRange {
  const end = Math.floor(now / bucketMs) + 1;
  const at = (place: number) => new Date(place * bucketMs).toISOString();
  return { from: at(end - count), to: at(end) };
}

/** Reads the ledger: what every replica has written so far. */
export function createUsageQueries(db: Database) {
  return {
    /** The requests of a key or of several together, by bucket, operation and outcome. */
    read: (bucket: UsageBucket, subject: UsageSubject, range: UsageRange) =>
      readUsage(db, bucket, subject, range),

    /** The keys with the most requests of some days, the busiest first. */
    listBusiest: (filter: UsageFilter, range: UsageRange, limit: number) =>
      listBusiestKeys(db, filter, range, limit),

    /** The same keys, and their requests by day. */
    async readBusiest(filter: UsageFilter, range: UsageRange, limit: number) {
      const keys = await listBusiestKeys(db, filter, range, limit);
      if (keys.length === 0) return { keys, rows: [] };
      const ids = keys.map(({ keyId }) => keyId);
      const rowsOf = Map.groupBy(await readKeys(db, 'day', ids, range), ({ keyId }) => keyId);
      return { keys, rows: ids.flatMap((id) => rowsOf.get(id) ?? []) };
    },

    /** The requests of whole days of accounts, by their name; none of an account without requests. */
    async sumOfAccounts(names: string[], range: UsageRange): Promise<ReadonlyMap<string, number>> {
      if (names.length === 0) return new Map();
      const sums = await sumAccounts(db, names, range);
      return new Map(sums.map(({ account, requests }) => [account, requests]));
    },

    /** What keys were used for lately, by their id. @param now Unix time in milliseconds. */
    async readRecent(keyIds: string[], now: number): Promise<ReadonlyMap<string, RecentUse>> {
      if (keyIds.length === 0) return new Map();
      const last = lastBuckets(recentHours, hourMs, now);
      const [hours, days] = await Promise.all([
        readKeys(db, 'hour', keyIds, last),
        readKeys(db, 'day', keyIds, lastBuckets(recentDays, dayMs, now)),
      ]);
      const recent = new Map(
        keyIds.map((keyId) => [
          keyId,
          { byHour: new Array<number>(recentHours).fill(0), deprecatedCalls: 0 },
        ]),
      );
      for (const { keyId, at, requests } of hours) {
        const { byHour = [] } = recent.get(keyId) ?? {};
        const place = (Date.parse(at) - Date.parse(last.from)) / hourMs;
        byHour[place] = (byHour[place] ?? 0) + requests;
      }
      for (const { keyId, operation, outcome, requests } of days) {
        const use = recent.get(keyId);
        if (use && operation in deprecations && outcome !== 'refused') {
          use.deprecatedCalls += requests;
        }
      }
      return recent;
    },

    /** What the replicas have answered in the last {@link liveSeconds}: one part for each flush. */
    readTraffic: () => readLiveTraffic(db),
  };
}
