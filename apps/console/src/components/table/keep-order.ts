import { useRef } from 'preact/hooks';

/**
 * Sorts the updated rows of a list in the order that the operator already sees. Rows then do not
 * move while the operator reads. New rows come last.
 *
 * @param before the ids of the rows in their previous order.
 */
export function keepOrder<Row>(
  before: readonly string[],
  rows: readonly Row[],
  idOf: (row: Row) => string,
): Row[] {
  const places = new Map(before.map((id, place) => [id, place]));
  const placeOf = (row: Row) => places.get(idOf(row)) ?? before.length;
  // The sort is stable, so new rows keep their order among themselves.
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/**
 * Keeps rows in their places until another list is shown.
 *
 * @param subject a text that identifies the list, such as its filters. When the text changes, the
 *   rows get the order of the response.
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
