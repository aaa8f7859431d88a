import {
  type UsageBucket,
  type UsageOperation,
  type UsageOutcome,
  usageBucketSeconds,
  usageOperations,
  usageOutcomes,
} from '@animal-store/admin-contract';
import { plans } from '@animal-store/contract';
import { inArray, type SQL, sql } from 'drizzle-orm';
import { bigint, customType, integer, pgSchema, smallint, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../schema/schema.ts';

// These tables are not in `schema/schema.ts`, because drizzle-kit supports neither the schema
// `usage` nor its view. See the migrations.
export const usage = pgSchema('usage');

/** An operation, stored as its index in `usageOperations`. */
const operation = customType<{ data: UsageOperation; driverData: number }>({
  dataType: () => 'smallint',
  toDriver: (name) => usageOperations.indexOf(name),
  // A newer replica may store an operation that this version does not know.
  fromDriver: (place) => usageOperations[place] ?? 'none',
});

/** An outcome, stored as its index in `usageOutcomes`. */
const outcome = customType<{ data: UsageOutcome; driverData: number }>({
  dataType: () => 'smallint',
  toDriver: (name) => usageOutcomes.indexOf(name),
  fromDriver(place) {
    const name = usageOutcomes[place];
    if (name === undefined)
      throw new TypeError(`The database contains the unknown usage outcome ${place}.`);
    return name;
  },
});

/** Returns the length of a bucket in minutes, which the tables store to distinguish buckets. */
export const spanOf = (bucket: UsageBucket): number => usageBucketSeconds[bucket] / 60;

/**
 * The requests of each key, operation and outcome by bucket. The view combines `usage.counts` with
 * the tables that replicas of earlier versions write.
 */
export const counts = usage.table('all_counts', {
  span: smallint().notNull(),
  /** The id of a key, or the id of the sum over a plan's keys (`totalId`). */
  keyId: uuid('key_id').notNull(),
  at: instant().notNull(),
  operation: operation().notNull(),
  outcome: outcome().notNull(),
  requests: bigint({ mode: 'number' }).notNull(),
});

/** The condition that a request got a 429. */
export const isDenied: SQL = inArray(counts.outcome, ['denied', 'banned']);

const admitted = inArray(counts.outcome, ['ok', 'client_error', 'server_error']);

/** The counts of today by which lists of keys and accounts can be sorted. */
export const countsOfToday = { '-requests': 'requests', '-denials': 'denials' } as const;

export type CountOfToday = (typeof countsOfToday)[keyof typeof countsOfToday];

/**
 * Returns the condition that a row belongs to today (since midnight UTC, by the database's clock)
 * and has this kind of outcome.
 */
export const isOfToday = (
  kind: CountOfToday | 'admitted',
): SQL => sql`${counts.span} = ${spanOf('day')}
  and ${counts.at} >= date_trunc('day', now(), 'UTC') and ${{ requests: sql`true`, denials: isDenied, admitted }[kind]}`;

/** No key has an id that is not larger: these are the ids of sums over the keys of a plan. */
export const largestTotalId: SQL = sql`'00000000-0000-0000-0000-00000000000f'::uuid`;

/** The flushes that were written. A flush with the same replica and sequence is not added again. */
export const written = usage.table('written', {
  replica: uuid().notNull(),
  sequence: integer().notNull(),
  at: instant().notNull(),
  /** The traffic since the previous flush. */
  outcomes: integer().array().notNull(),
  latencies: integer().array().notNull(),
});

/**
 * When each key was created, last used, last refused, and when it last called a deprecated
 * operation. Every key has a row.
 */
export const lastUsed = usage.table('last_used', {
  keyId: uuid('key_id').primaryKey(),
  at: instant(),
  createdAt: instant('created_at'),
  deprecatedAt: instant('deprecated_at'),
  refusedAt: instant('refused_at'),
});

/** The share of a limit from which a key or account counts as near the limit. */
const nearLimit = 0.8;

/**
 * Returns the number of requests per day from which a row is near the limit of its plan.
 *
 * @param row the alias of the table in the query.
 */
export function nearLimitOf(row: 'busy' | 'holder'): SQL {
  const numbers = Object.entries(plans).map(([name, quota]) =>
    quota === undefined ? '' : `when '${name}' then ${quota.perDay}`,
  );
  return sql.raw(`${nearLimit} * case ${row}.plan ${numbers.join(' ')} else ${row}.per_day end`);
}

/**
 * Returns the smallest number of requests per day from which a key of any plan may be near its
 * limit.
 */
export function leastNearLimit(): SQL {
  const numbers = Object.values(plans).flatMap((quota) => quota?.perDay ?? []);
  return sql.raw(`${nearLimit} * least(${Math.min(...numbers)},
    (select min(per_day) from api_keys where plan = 'enterprise'))`);
}
