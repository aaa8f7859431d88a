import { type SQL, sql } from 'drizzle-orm';

/** Where a page of a list ends. */
export interface ListPosition {
  /** What the list is sorted by: a text, or a time in microseconds. */
  readonly place: string;
  readonly id: string;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins, if there is one. */
  readonly next: ListPosition | undefined;
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
