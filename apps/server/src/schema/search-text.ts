import { or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * Returns the SQL expression that folds a text for searching: to lower case and without diacritics,
 * so that "zurich" finds "Zürich". The SQL function exists in the database, because triggers use it
 * to fill the column `search`.
 */
const folded = (text: SQLWrapper | string): SQL => sql`folded_text(${text}::text)`;

/** The tables that have a column `search`. */
export const searchedTables = ['api_keys', 'accounts', 'audit_entries'] as const;

/**
 * Returns the composed and the decomposed form of a text (Unicode NFC and NFD). A letter with an
 * accent may be one character or two, in the search and in the stored names.
 */
const formsOf = (text: string) => [...new Set([text.normalize('NFC'), text.normalize('NFD')])];

/** Returns the SQL condition that a text is part of the column `search` of a row. */
export const isFound = (table: (typeof searchedTables)[number], text: string): SQL | undefined =>
  or(
    ...formsOf(text.replaceAll(/[\\%_]/g, '\\$&')).map(
      (form) => sql`${sql.raw(table)}.search like ${folded(`%${form}%`)}`,
    ),
  );

/**
 * Returns the SQL condition that a text is part of a column. Use this function only for small
 * tables without a column `search`, because Postgres then reads all rows.
 */
export const isContained = (column: SQLWrapper, text: string): SQL | undefined =>
  or(...formsOf(text).map((form) => sql`strpos(${folded(column)}, ${folded(form)}) > 0`));
