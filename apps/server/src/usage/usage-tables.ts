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

// Not in `database/schema.ts`: drizzle-kit knows neither this schema nor its view. See the migrations.
export const usage = pgSchema('usage');

/** The operation, as its place in `usageOperations`. */
const operation = customType<{ data: UsageOperation; driverData: number }>({
  dataType: () => 'smallint',
  toDriver: (name) => usageOperations.indexOf(name),
  // A newer replica may count one that this one does not know.
  fromDriver: (place) => usageOperations[place] ?? 'none',
});

/** The outcome, as its place in `usageOutcomes`. */
const outcome = customType<{ data: UsageOutcome; driverData: number }>({
  dataType: () => 'smallint',
  toDriver: (name) => usageOutcomes.indexOf(name),
  fromDriver(place) {
    const name = usageOutcomes[place];
    if (name === undefined) throw new TypeError(`No outcome is stored as ${place}.`);
    return name;
  },
});

/** The length of a bucket, in minutes: what the tables tell buckets apart by. */
export const spanOf = (bucket: UsageBucket): number => usageBucketSeconds[bucket] / 60;

/**
 * The requests of each key, operation and outcome, by the bucket they fall into: those of `usage.counts`,
 * which is written, and those that replicas of versions before have written elsewhere.
 */
export const counts = usage.table('all_counts', {
  span: smallint().notNull(),
  /** A key, or the sum over all keys of a plan: see `totalId`. */
  keyId: uuid('key_id').notNull(),
  at: instant().notNull(),
  operation: operation().notNull(),
  outcome: outcome().notNull(),
  requests: bigint({ mode: 'number' }).notNull(),
});

/** The condition that a request got a 429. */
export const isDenied: SQL = inArray(counts.outcome, ['denied', 'banned']);

const admitted = inArray(counts.outcome, ['ok', 'client_error', 'server_error']);

/** What lists of keys and accounts can be sorted by, of today. */
export const countsOfToday = { '-requests': 'requests', '-denials': 'denials' } as const;

export type CountOfToday = (typeof countsOfToday)[keyof typeof countsOfToday];

/** The rows of today: since midnight (UTC), by the database's clock. Of all requests, or of those that ended so. */
export const isOfToday = (
  kind: CountOfToday | 'admitted',
): SQL => sql`${counts.span} = ${spanOf('day')}
  and ${counts.at} >= date_trunc('day', now(), 'UTC') and ${{ requests: sql`true`, denials: isDenied, admitted }[kind]}`;

/** What was flushed, by whom: a flush that is there is not added again. */
export const written = usage.table('written', {
  replica: uuid().notNull(),
  sequence: integer().notNull(),
  at: instant().notNull(),
  /** The traffic since the flush before. */
  outcomes: integer().array().notNull(),
  latencies: integer().array().notNull(),
});

/** When each key was created, last used, last called what is deprecated, and last refused. Every key has a row. */
export const lastUsed = usage.table('last_used', {
  keyId: uuid('key_id').primaryKey(),
  at: instant(),
  createdAt: instant('created_at'),
  deprecatedAt: instant('deprecated_at'),
  refusedAt: instant('refused_at'),
});

/** From how large a part of its limit on a row is near it. */
const nearLimit = 0.8;

/** From how many requests a day on a row is near the limit of its plan. @param row a name of its table in the query. */
export function nearLimitOf(row: 'busy' | 'holder'): SQL {
  const numbers = Object.entries(plans).map(([name, quota]) =>
    quota === undefined ? '' : `when '${name}' then ${quota.perDay}`,
  );
  return sql.raw(`${nearLimit} * case ${row}.plan ${numbers.join(' ')} else ${row}.per_day end`);
}

/** From how many requests a day on a key may be near its limit, whatever its plan is. */
export function leastNearLimit(): SQL {
  const numbers = Object.values(plans).flatMap((quota) => quota?.perDay ?? []);
  return sql.raw(`${nearLimit} * least(${Math.min(...numbers)},
    (select min(per_day) from api_keys where plan = 'enterprise'))`);
}
