import { maxCounted } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * The position of a page: the last row of the previous page. The first text is the index of the
 * part of the list that contains this row: see {@link readListParts}. The other texts are the sort
 * values of the last row, as Postgres writes them.
 */
export type ListPosition = readonly string[];

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The position after which the next page begins; `undefined` if there is no next page. */
  readonly next: ListPosition | undefined;
}

/** A sort column with the SQL type of its values. The column must not contain nulls. */
export type SortColumn = readonly [column: SQLWrapper, type: string];

export interface ListOrder {
  /** The sort columns. Their values together identify each row. */
  readonly columns: readonly SortColumn[];
  readonly isDescending: boolean;
}

/**
 * Returns the SQL expression for the position of a row as JSON. The values are texts, because a
 * `Date` would lose the microseconds of times.
 */
export const positionOf = ({ columns }: ListOrder): SQL<string> =>
  sql<string>`json_build_array(${join(columns.map(([column]) => sql`(${column})::text`))})::text`;

export const sortedBy = ({ columns, isDescending }: ListOrder): SQL[] =>
  columns.map(([column]) => sql`${column} ${sql.raw(isDescending ? 'desc' : 'asc')}`);

/**
 * Returns the SQL condition that a row comes after a position. A caller can forge a cursor with any
 * position. If a value does not match the SQL type of its column, Postgres refuses the query with
 * an SQLSTATE of class 22.
 */
export function isAfter(
  { columns, isDescending }: ListOrder,
  position: ListPosition | undefined,
): SQL | undefined {
  if (position === undefined) return undefined;
  const values = columns.map(([, type], n) => sql`${position[n] ?? ''}::text::${sql.raw(type)}`);
  return sql`(${join(columns.map(([column]) => column))}) ${sql.raw(isDescending ? '<' : '>')} (${join(values)})`;
}

const join = (parts: readonly SQLWrapper[]) => sql.join([...parts], sql`, `);

/**
 * Reads a page of a list that consists of several parts, one after the other. Each part has its own
 * SQL query.
 *
 * @param read a function that reads up to a number of rows from one part of the list, beginning
 * after a position.
 */
export async function readListParts<Part, Row extends { readonly place: string }>(
  parts: readonly Part[],
  { limit, position }: { limit: number; position: ListPosition | undefined },
  read: (part: Part, limit: number, position: ListPosition | undefined) => Promise<Row[]>,
): Promise<ListPage<Omit<Row, 'place'>>> {
  const [first = '0', ...place] = position ?? [];
  const found: { row: Omit<Row, 'place'>; place: ListPosition }[] = [];
  for (const [n, part] of parts.entries()) {
    // One row more than the limit is read. If that row exists, there is a next page.
    if (n < Number(first) || found.length > limit) continue;
    const from = position && n === Number(first) ? place : undefined;
    for (const { place, ...row } of await read(part, limit + 1 - found.length, from)) {
      found.push({ row, place: [String(n), ...JSON.parse(place)] });
    }
  }
  return {
    items: found.slice(0, limit).map(({ row }) => row),
    next: found.length > limit ? found[limit - 1]?.place : undefined,
  };
}

/** Counts the rows of a query, at most up to `maxCounted + 1`, so that the cost is limited. */
export const countRows = (db: Database, rows: SQLWrapper) =>
  db
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(sql`(${rows} limit ${maxCounted + 1}) counted`);
