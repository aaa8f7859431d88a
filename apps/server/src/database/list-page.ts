import { maxCounted } from '@animal-store/contract/admin';
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from './database.ts';

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

/**
 * Reads what a page may hold of a list that consists of several, one after the other. A place tells its list by its
 * number, in front.
 *
 * @param read reads one of the lists, up to a limit, from a position in it on.
 */
export async function readLists<Row extends { readonly place: string }>(
  { lists, limit, position }: { lists: number; limit: number; position: ListPosition | undefined },
  read: (list: number, limit: number, position: ListPosition | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  if (lists === 1) return read(0, limit, position);
  const [, first = '0', place = ''] = /^(\d) (.*)$/s.exec(position?.place ?? '') ?? [];
  const found: Row[] = [];
  for (let list = Number(first); list < lists && found.length < limit; list += 1) {
    const from = position && list === Number(first) ? { ...position, place } : undefined;
    const rows = await read(list, limit - found.length, from);
    found.push(...rows.map((row) => ({ ...row, place: `${list} ${row.place}` })));
  }
  return found;
}

/** Whether a text may be a place in several lists: one in each of them, by the number of its list. */
export function isPlaceIn(lists: readonly ((place: string) => boolean)[], text: string): boolean {
  if (lists.length === 1) return lists[0]?.(text) ?? false;
  return lists[Number(/^\d(?= )/.exec(text)?.[0])]?.(text.slice(2)) ?? false;
}

/** Counts the rows of a query: no more than one beyond what is told, however many there are. */
export const countRows = (db: Database, rows: SQLWrapper) =>
  db
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(sql`(${rows} limit ${maxCounted + 1}) counted`);

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
