import { useRef } from 'preact/hooks';

/**
 * Keeps rows in their places while an operator reads them, even if their order changes. New rows
 * come last.
 *
 * @param before the ids in their previous order.
 */
export function keepOrder<Row>(
  before: readonly string[],
  rows: readonly Row[],
  idOf: (row: Row) => string,
): Row[] {
  const places = new Map(before.map((id, place) => [id, place]));
  const placeOf = (row: Row) => places.get(idOf(row)) ?? before.length;
  // Sorting is stable: new rows keep their order among themselves.
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/**
 * Keeps rows in their places as long as the subject is the same.
 *
 * @param subject what the rows are about, such as their filter. Another subject starts with its own
 *   order.
 */
export function useKeptOrder<Row>(
  subject: string,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): Row[] {
  const shown = useRef<{ subject: string; ids: readonly string[] }>({ subject, ids: [] });
  const before = shown.current.subject === subject ? shown.current.ids : [];
  const kept = keepOrder(before, rows, idOf);
  shown.current = { subject, ids: kept.map(idOf) };
  return kept;
}
