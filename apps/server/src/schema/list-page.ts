import { maxCounted } from '@animal-store/admin-contract';
import type { Database } from '@animal-store/postgres';
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * Where a page of a list ends: what its last row is sorted by, as Postgres writes it. In front is which of the lists
 * it is that {@link readLists} reads.
 */
export type ListPosition = readonly string[];

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins, if there is one. */
  readonly next: ListPosition | undefined;
}

/** What a list is sorted by, and its type, which reads what Postgres wrote of it. It is never null. */
export type SortColumn = readonly [column: SQLWrapper, type: string];

export interface ListOrder {
  /** Together they tell each row from all others. */
  readonly columns: readonly SortColumn[];
  readonly isDescending: boolean;
}

/** The position of a row, as JSON. As text, times keep their microseconds, which a `Date` would lose. */
export const placeIn = ({ columns }: ListOrder): SQL<string> =>
  sql<string>`json_build_array(${join(columns.map(([column]) => sql`(${column})::text`))})::text`;

export const sortedBy = ({ columns, isDescending }: ListOrder): SQL[] =>
  columns.map(([column]) => sql`${column} ${sql.raw(isDescending ? 'desc' : 'asc')}`);

/**
 * The condition that a row comes after a position. Anybody can forge one: Postgres refuses texts that are none of
 * these types, as an SQLSTATE of class 22.
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
 * Reads a page of several lists, one after the other.
 *
 * @param read reads one of the lists, up to a limit, from a position in it on.
 */
export async function readLists<List, Row extends { readonly place: string }>(
  lists: readonly List[],
  { limit, position }: { limit: number; position: ListPosition | undefined },
  read: (list: List, limit: number, position: ListPosition | undefined) => Promise<Row[]>,
): Promise<ListPage<Omit<Row, 'place'>>> {
  const [first = '0', ...place] = position ?? [];
  const found: { row: Omit<Row, 'place'>; place: ListPosition }[] = [];
  for (const [n, list] of lists.entries()) {
    // One more than asked for tells whether there is a next page.
    if (n < Number(first) || found.length > limit) continue;
    const from = position && n === Number(first) ? place : undefined;
    for (const { place, ...row } of await read(list, limit + 1 - found.length, from)) {
      found.push({ row, place: [String(n), ...JSON.parse(place)] });
    }
  }
  return {
    items: found.slice(0, limit).map(({ row }) => row),
    next: found.length > limit ? found[limit - 1]?.place : undefined,
  };
}

/** Counts the rows of a query: no more than one beyond what is told, however many there are. */
export const countRows = (db: Database, rows: SQLWrapper) =>
  db
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(sql`(${rows} limit ${maxCounted + 1}) counted`);
