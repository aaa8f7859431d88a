import { type SQL, sql } from 'drizzle-orm';

/**
 * Writes the JSON of an animal. Postgres does it: to decode the values and write it here took 14 µs more
 * for a page of 25, and Postgres 13 µs more. `row_to_json` instead of `format` takes Postgres 20 µs more.
 */
export const petJson: SQL = sql`format(
  '{"id":%s,"name":%s,"categoryId":%s,"status":"%s"}', id, to_json(name), category_id, status
)`;
