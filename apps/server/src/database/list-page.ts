import { type SQL, sql } from 'drizzle-orm';

/** Where a page of a list ends. */
export interface ListPosition {
  /** What the list is sorted by: a text, or a time in microseconds. */
  readonly place: string;
  readonly id: string;
}

/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins, if there may be one. */
  readonly next: ListPosition | undefined;
}

/**
 * How many rows one page looks at. Each way to list keys or audit entries reads an index in the order
 * of the list, so one filter looks at few more rows than it finds. But of several filters only one has
 * its index. Without this bound, a search for the revoked keys of an account with a million active ones
 * would read them all. 2,000 keys take about 20 ms.
 */
export const maxScanned = 2_000;

/**
 * Reads a page. It may have fewer rows than `limit`, even none, while there is another page.
 *
 * @param scan.find gives the first rows that match every filter, at most so many.
 * @param scan.findEnd gives the last row that was looked at, if it is the last of {@link maxScanned}.
 */
export async function readPage<Row>(
  limit: number,
  scan: {
    readonly find: (limit: number) => Promise<Row[]>;
    readonly positionOf: (row: Row) => ListPosition;
    readonly findEnd: () => Promise<ListPosition[]>;
  },
): Promise<ListPage<Row>> {
  const page = pageOf(await scan.find(limit + 1), limit, scan.positionOf);
  if (page.next !== undefined) return page;
  const [next] = await scan.findEnd();
  return { ...page, next };
}

/**
 * The page of the first rows.
 *
 * @param found up to one more than the page holds, which tells whether there is another.
 */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => ListPosition,
): ListPage<Row> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = found.length > limit && last !== undefined ? positionOf(last) : undefined;
  return { items, next };
}

/** A time in microseconds, as text: a `Date` would lose some of them. */
export function toMicroseconds(at: unknown): SQL<string> {
  return sql<string>`(extract(epoch from ${at}) * 1000000)::bigint::text`;
}

/** The time of a position that {@link isInteger} accepts. */
export function fromMicroseconds(place: string): SQL {
  return sql`timestamptz 'epoch' + interval '1 microsecond' * ${Number(place)}::float8`;
}

/** Whether a part of a position is an id or a time in microseconds. Anybody can forge a cursor. */
export function isInteger(text: string): boolean {
  return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}
