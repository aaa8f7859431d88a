import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * Folds a text for searching: to lower case and without diacritics, so that "zurich" finds
 * "Zürich". The function is in the database, because triggers use it to write the column `search`
 * of {@link isFound}.
 */
const folded = (text: SQLWrapper | string): SQL => sql`folded_text(${text}::text)`;

/** The tables with a column `search`. */
export const searchedTables = ['api_keys', 'accounts', 'audit_entries'] as const;

/** Returns the condition that the search text of a row contains a text. */
export const isFound = (table: (typeof searchedTables)[number], text: string): SQL =>
  sql`${sql.raw(table)}.search like ${folded(`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)}`;

/**
 * Returns the condition that a column contains a text. It is for small tables without a column
 * `search`.
 */
export const isContained = (column: SQLWrapper, text: string): SQL =>
  sql`strpos(${folded(column)}, ${folded(text)}) > 0`;
