import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * Writes a text as it is searched: in small letters without marks, so that "zurich" finds "Zürich". The function is
 * in the database, because triggers write the column `search` of {@link isFound} by it.
 */
const folded = (text: SQLWrapper | string): SQL => sql`folded_text(${text}::text)`;

/** The tables that have a column `search`. */
export const searchedTables = ['api_keys', 'accounts', 'audit_entries'] as const;

/** Builds the SQL condition that a row contains the searched text. */
export const isFound = (table: (typeof searchedTables)[number], text: string): SQL =>
  sql`${sql.raw(table)}.search like ${folded(`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)}`;

/** The same for a table of few rows, which has no such column. */
export const isContained = (column: SQLWrapper, text: string): SQL =>
  sql`strpos(${folded(column)}, ${folded(text)}) > 0`;
