import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * Returns the SQL expression that folds a text for searching: to lower case and without diacritics,
 * so that "zurich" finds "Zürich". The SQL function exists in the database, because triggers use it
 * to fill the column `search`.
 */
const folded = (text: SQLWrapper | string): SQL => sql`folded_text(${text}::text)`;

/** The tables that have a column `search`. */
export const searchedTables = ['api_keys', 'accounts', 'audit_entries'] as const;

/** Returns the SQL condition that a text is part of the column `search` of a row. */
export const isFound = (table: (typeof searchedTables)[number], text: string): SQL =>
  sql`${sql.raw(table)}.search like ${folded(`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)}`;

/**
 * Returns the SQL condition that a text is part of a column. Use this function only for small
 * tables without a column `search`, because Postgres then reads all rows.
 */
export const isContained = (column: SQLWrapper, text: string): SQL =>
  sql`strpos(${folded(column)}, ${folded(text)}) > 0`;
