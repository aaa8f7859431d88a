import {
  type UsageOperation,
  type UsageOutcome,
  usageOperations,
  usageOutcomes,
} from '@animal-store/contract/admin';
import { type SQL, sql } from 'drizzle-orm';
import { bigint, customType, pgSchema, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../database/schema.ts';

// Not in `database/schema.ts`: drizzle-kit would write these tables without their partitions.
const usage = pgSchema('usage');

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

/** The start of a bucket. */
const at = instant().notNull();

const counts = () => ({
  /** A key, or the id of a sum over keys: one of {@link totalIds} or {@link accountTotalId}. */
  keyId: uuid('key_id').notNull(),
  at,
  operation: operation().notNull(),
  outcome: outcome().notNull(),
  requests: bigint({ mode: 'number' }).notNull(),
});

/** The requests of each key, operation and outcome, by the bucket they fall into. */
export const usageTables = {
  minute: usage.table('minutes', counts()),
  hour: usage.table('hours', counts()),
  day: usage.table('days', counts()),
} as const;

/** When each key was last used, to the minute: `null` if never. Every key has a row. */
export const lastUsed = usage.table('last_used', {
  keyId: uuid('key_id').primaryKey(),
  at: instant(),
});

/** All requests of each key and day, indexed by their number: the busiest keys come first. */
export const keyDays = usage.table('key_days', {
  keyId: uuid('key_id').notNull(),
  at,
  /** The place of the plan in `planNames` plus 1, as of the key's last requests of the day. */
  plan: smallint().notNull(),
  /** The key's account, as of then. */
  account: text(),
  requests: bigint({ mode: 'number' }).notNull(),
});

/**
 * The id under which the tables hold the sum over all keys of an account and a plan, so that a
 * question about an account reads no more rows than one about a key. A UUID of version 8 (RFC 9562,
 * §5.8), so it is no key's: those have version 4.
 */
export function accountTotalId(plan: SQL, account: SQL): SQL {
  return sql`overlay(encode(substring(sha256(convert_to(${plan} || ' ' || ${account}, 'UTF8')) for 16), 'hex') placing '8' from 13 for 1)::uuid`;
}
