import { deprecations, type PlanName, planNames } from '@animal-store/contract';
import { type RecentUse, usageOperations } from '@animal-store/contract/admin';
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../database/database.ts';
import { apiKeys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { planCode, totalId, totalIds } from './usage-entry.ts';
import { accountTotalId, keyDays, usageTables } from './usage-tables.ts';

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

/** The plans that a filter leaves, as the tables hold them. */
const plansOf = ({ plan }: UsageFilter): readonly number[] =>
  (plan === undefined ? planNames : [plan]).map(planCode);

/** The same as an array of Postgres. */
const planArray = (filter: UsageFilter) =>
  sql`${`{${plansOf(filter).join(',')}}`}::text::smallint[]`;

/** The ids under which the tables hold what a question is about. */
function idsOf(subject: UsageSubject): SQL[] {
  if ('keyId' in subject) return [sql`${subject.keyId}::uuid`];
  const { plan, account } = subject;
  if (account !== undefined) {
    return plansOf(subject).map((code) =>
      accountTotalId(sql`${code}::smallint`, sql`${account}::text`),
    );
  }
  const ids = plan === undefined ? totalIds : [totalId(planCode(plan))];
  return ids.map((id) => sql`${id}::uuid`);
}

const readUsage = statement(
  'read_usage',
  (db, bucket: keyof typeof usageTables, subject: UsageSubject, range: UsageRange) => {
    const table = usageTables[bucket];
    return db
      .select({
        at: table.at,
        operation: table.operation,
        outcome: table.outcome,
        requests: sql<number>`sum(${table.requests})`.mapWith(Number),
      })
      .from(table)
      .where(and(isOneOf(table, idsOf(subject)), isWithin(table, range)))
      .groupBy(table.at, table.operation, table.outcome)
      .orderBy(table.at, table.operation, table.outcome);
  },
);

/** How many keys of each day compete for the busiest of several days. */
const candidatesOfDay = 100;

/**
 * Finds the busiest keys of some days. The sums of several days have no index, so the busiest of each
 * day compete: with 100 of each, keys are left out only if they are among those on no day.
 *
 * Each plan's keys are read from an index, in its order, and no more of them than are wanted.
 */
const listBusiestKeys = statement(
  'list_busiest_keys',
  (db, filter: UsageFilter, { from, to }: UsageRange, limit: number) => {
    const isOneDay = Date.parse(to) - Date.parse(from) === dayMs;
    const wanted = sql.raw(String(isOneDay ? limit : Math.max(limit, candidatesOfDay)));
    const isWanted = isCounted(filter);
    const busy = sql`(
      with candidate as (
        select distinct of_day.key_id
        from generate_series(${from}::timestamptz,
          ${to}::timestamptz - interval '24 hours', interval '24 hours') day
        cross join lateral (
          select of_plan.key_id
          from unnest(${planArray(filter)}) wanted (plan)
          cross join lateral (
            select ${keyDays.keyId}, ${keyDays.requests} from ${keyDays}
            where ${keyDays.at} = day and ${keyDays.plan} = wanted.plan and ${isWanted}
            order by ${keyDays.requests} desc, ${keyDays.keyId} limit ${wanted}
          ) of_plan
          order by of_plan.requests desc, of_plan.key_id limit ${wanted}
        ) of_day
      )
      select ${keyDays.keyId}, sum(${keyDays.requests}) as requests
      from candidate join ${keyDays} on ${keyDays.keyId} = candidate.key_id
      where ${isWithin(keyDays, { from, to })} and ${isWanted} and ${isOfPlan(filter)}
      group by 1 order by 2 desc, 1 limit ${sql.raw(String(limit))}) busy`;
    return db
      .select({
        keyId: apiKeys.id,
        name: apiKeys.name,
        account: apiKeys.account,
        plan: apiKeys.plan,
        requests: sql<number>`busy.requests`.mapWith(Number),
      })
      .from(busy)
      .innerJoin(apiKeys, sql`${apiKeys.id} = busy.key_id`)
      .orderBy(sql`busy.requests desc`, apiKeys.id);
  },
);

/** The requests of all keys of some accounts together. */
const sumAccounts = statement('sum_usage_of_accounts', (db, names: string[], range: UsageRange) => {
  const { day } = usageTables;
  const wanted = sql.join(
    names.map((name) => sql`(${name}::text)`),
    sql`, `,
  );
  return db
    .select({
      account: sql<string>`wanted.name`,
      requests: sql<number>`sum(${day.requests})`.mapWith(Number),
    })
    .from(sql`(values ${wanted}) wanted (name)`)
    .crossJoin(sql`unnest(${planArray({})}) of_plan (plan)`)
    .innerJoin(day, eq(day.keyId, accountTotalId(sql`of_plan.plan`, sql`wanted.name`)))
    .where(isWithin(day, range))
    .groupBy(sql`wanted.name`);
});

/** The requests of some keys by day, as far as a filter leaves those days. */
const readKeyDays = statement(
  'read_usage_of_keys',
  (db, keyIds: readonly string[], filter: UsageFilter, range: UsageRange) => {
    const { day } = usageTables;
    return db
      .select({
        keyId: day.keyId,
        at: day.at,
        operation: day.operation,
        outcome: day.outcome,
        requests: day.requests,
      })
      .from(day)
      .innerJoin(keyDays, and(eq(keyDays.keyId, day.keyId), eq(keyDays.at, day.at)))
      .where(
        and(
          inArray(day.keyId, [...keyIds]),
          isWithin(day, range),
          isWithin(keyDays, range),
          isCounted(filter),
          isOfPlan(filter),
        ),
      )
      .orderBy(day.at, day.operation, day.outcome);
  },
);

const deprecatedOperations = usageOperations.filter((name) => name in deprecations);

/** The requests of keys by hour. */
const readKeyHours = statement('read_hours_of_keys', (db, keyIds: string[], from: string) => {
  const { hour } = usageTables;
  return db
    .select({
      keyId: hour.keyId,
      at: hour.at,
      requests: sql<number>`sum(${hour.requests})`.mapWith(Number),
    })
    .from(hour)
    .where(and(inArray(hour.keyId, keyIds), gte(hour.at, from)))
    .groupBy(hour.keyId, hour.at);
});

/** How often keys called a deprecated operation. */
const countDeprecatedCalls = statement(
  'count_deprecated_calls',
  (db, keyIds: string[], from: string) => {
    const { day } = usageTables;
    return db
      .select({ keyId: day.keyId, requests: sql<number>`sum(${day.requests})`.mapWith(Number) })
      .from(day)
      .where(
        and(
          inArray(day.keyId, keyIds),
          gte(day.at, from),
          inArray(day.operation, deprecatedOperations),
        ),
      )
      .groupBy(day.keyId);
  },
);

const isOneOf = (table: { keyId: AnyPgColumn }, ids: readonly SQL[]) =>
  sql`${table.keyId} in (${sql.join([...ids], sql`, `)})`;

const isWithin = (table: { at: AnyPgColumn }, { from, to }: UsageRange) =>
  and(gte(table.at, from), lt(table.at, to));

const isCounted = ({ account }: UsageFilter) =>
  account === undefined ? sql`true` : eq(keyDays.account, account);

const isOfPlan = ({ plan }: UsageFilter) =>
  plan === undefined ? sql`true` : eq(keyDays.plan, planCode(plan));

/** The spans of time in which a list of keys tells what they were used for. */
const recentHours = 24;
const recentDays = 30;

/** Reads the ledger. */
export function createUsageQueries(db: Database) {
  return {
    /** The requests of a key or of several together, by bucket, operation and outcome. */
    read: (bucket: keyof typeof usageTables, subject: UsageSubject, range: UsageRange) =>
      readUsage(db, bucket, subject, range),

    /** The keys with the most requests of some days, the busiest first. */
    listBusiest: (filter: UsageFilter, range: UsageRange, limit: number) =>
      listBusiestKeys(db, filter, range, limit),

    /** The same keys, and their requests by day. */
    async readBusiest(filter: UsageFilter, range: UsageRange, limit: number) {
      const keys = await listBusiestKeys(db, filter, range, limit);
      if (keys.length === 0) return { keys, rows: [] };
      const ids = keys.map(({ keyId }) => keyId);
      const rowsOf = Map.groupBy(await readKeyDays(db, ids, filter, range), ({ keyId }) => keyId);
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
      const hour = Math.floor(now / hourMs);
      const firstHour = hour - recentHours + 1;
      const firstDay = Math.floor(now / dayMs) - recentDays + 1;
      const [hours, calls] = await Promise.all([
        readKeyHours(db, keyIds, new Date(firstHour * hourMs).toISOString()),
        countDeprecatedCalls(db, keyIds, new Date(firstDay * dayMs).toISOString()),
      ]);
      const hoursOf = Map.groupBy(hours, ({ keyId }) => keyId);
      const callsOf = new Map(calls.map(({ keyId, requests }) => [keyId, requests]));
      const useOf = (keyId: string): RecentUse => {
        const byHour = new Array<number>(recentHours).fill(0);
        for (const { at, requests } of hoursOf.get(keyId) ?? []) {
          byHour[Date.parse(at) / hourMs - firstHour] = requests;
        }
        return { byHour, deprecatedCalls: callsOf.get(keyId) ?? 0 };
      };
      return new Map(keyIds.map((keyId) => [keyId, useOf(keyId)]));
    },
  };
}
