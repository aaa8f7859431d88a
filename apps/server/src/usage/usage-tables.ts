import { type SQL, sql } from 'drizzle-orm';
import { bigint, pgSchema, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../database/schema.ts';

// Not in `database/schema.ts`: drizzle-kit would write these tables without their partitions.
const usage = pgSchema('usage');

/** Unix time of a bucket's start. */
const at = timestamp({ withTimezone: true }).notNull();

const counts = () => ({
  /** A key, or the id of a sum over keys: one of {@link totalIds} or {@link accountTotalId}. */
  keyId: uuid('key_id').notNull(),
  at,
  /** The place of the operation in `usageOperations`. */
  operation: smallint().notNull(),
  /** The place of the outcome in `usageOutcomes`. */
  outcome: smallint().notNull(),
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
