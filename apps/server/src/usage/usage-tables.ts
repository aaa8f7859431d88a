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

// The tables with the usage counts. They are not in `schema/schema.ts`, because drizzle-kit
// supports neither the schema `usage` nor its view. The migrations create them.
export const usage = pgSchema('usage');

/** A column with an operation, stored as its index in `usageOperations`. */
const operation = customType<{ data: UsageOperation; driverData: number }>({
  dataType: () => 'smallint',
  toDriver: (name) => usageOperations.indexOf(name),
  // A replica of a newer version may have stored an operation that this version does not know.
  fromDriver: (place) => usageOperations[place] ?? 'none',
});

/** A column with an outcome, stored as its index in `usageOutcomes`. */
const outcome = customType<{ data: UsageOutcome; driverData: number }>({
  dataType: () => 'smallint',
  toDriver: (name) => usageOutcomes.indexOf(name),
  fromDriver(place) {
    const name = usageOutcomes[place];
    if (name === undefined)
      throw new TypeError(
        `The table with the request counts contains the outcome number ${place}, which this version of the service does not know. Update this replica to the version of the newest replica.`,
      );
    return name;
  },
});

/**
 * Returns the length of a bucket in minutes. The tables store this number to distinguish minutes,
 * hours and days.
 */
export const bucketMinutes = (bucket: UsageBucket): number => usageBucketSeconds[bucket] / 60;

/**
 * The number of requests by API key, operation, outcome and bucket. The view combines
 * `usage.counts` with the tables to which replicas of earlier versions write.
 */
export const counts = usage.table('all_counts', {
  span: smallint().notNull(),
  /** The id of an API key, or the id of the sum over all keys of a plan (`totalId`). */
  keyId: uuid('key_id').notNull(),
  at: instant().notNull(),
  operation: operation().notNull(),
  outcome: outcome().notNull(),
  requests: bigint({ mode: 'number' }).notNull(),
});

/** The SQL condition that requests got a 429 response. */
export const isDenied: SQL = inArray(counts.outcome, ['denied', 'banned']);

const admitted = inArray(counts.outcome, ['ok', 'client_error', 'server_error']);

/**
 * The sort orders that sort API keys and accounts by today's usage. The value of each property says
 * which requests are counted: all requests, or only denied ones.
 */
export const countsOfToday = { '-requests': 'requests', '-denials': 'denials' } as const;

export type CountOfToday = (typeof countsOfToday)[keyof typeof countsOfToday];

/**
 * Returns the SQL condition that a row belongs to today and has an outcome of the given kind. The
 * day begins at midnight UTC, by the clock of the database.
 */
export const isToday = (
  kind: CountOfToday | 'admitted',
): SQL => sql`${counts.span} = ${bucketMinutes('day')}
  and ${counts.at} >= date_trunc('day', now(), 'UTC')
  and ${counts.at} < date_trunc('day', now(), 'UTC') + interval '1 day' and ${{ requests: sql`true`, denials: isDenied, admitted }[kind]}`;

/**
 * The largest of the ids under which the sums of plans are stored. The id of an API key is always
 * larger.
 */
export const largestTotalId: SQL = sql`'00000000-0000-0000-0000-00000000000f'::uuid`;

/**
 * The flushes (batches of counts) that were written. A second flush with the same replica and
 * sequence number is ignored.
 */
export const written = usage.table('written', {
  replica: uuid().notNull(),
  sequence: integer().notNull(),
  at: instant().notNull(),
  /** The requests of the replica since its previous flush: by outcome, and by latency. */
  outcomes: integer().array().notNull(),
  latencies: integer().array().notNull(),
});

/**
 * The times when each API key was created, last used and last refused, and when it last called a
 * deprecated operation. Every key has a row.
 */
export const lastUsed = usage.table('last_used', {
  keyId: uuid('key_id').primaryKey(),
  at: instant(),
  createdAt: instant('created_at'),
  deprecatedAt: instant('deprecated_at'),
  refusedAt: instant('refused_at'),
});

/**
 * An API key or an account counts as near its limit when it has used this fraction of the limit.
 */
const nearLimit = 0.8;

/**
 * Returns the SQL expression for the number of requests per day with which an API key or an account
 * counts as near the limit of its plan.
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
 * Returns the SQL expression for the smallest number that `nearLimitOf` returns for any API key. A
 * key with fewer requests per day is not near its limit, whatever its plan is.
 */
export function leastNearLimit(): SQL {
  const numbers = Object.values(plans).flatMap((quota) => quota?.perDay ?? []);
  return sql.raw(`${nearLimit} * least(${Math.min(...numbers)},
    (select min(per_day) from api_keys where plan = 'enterprise'))`);
}
