/** The selection in a plot: one bucket, or several in a row. */
export interface Mark {
  /** The index of the bucket where the selection ends. */
  readonly index: number;
  /** The index of the bucket where a selection of several buckets starts. */
  readonly anchor?: number;
  readonly isByKeyboard: boolean;
}

const moves: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowDown: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index + 1,
  PageDown: (index, count) => index - Math.ceil(count / 10),
  PageUp: (index, count) => index + Math.ceil(count / 10),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Returns whether a press of this keyboard key moves the selection. */
export const isMoved = (key: string): boolean => Object.hasOwn(moves, key);

/**
 * Moves the selection when a keyboard key is pressed. The keys have the same effect as in a slider
 * of the ARIA Authoring Practices. With Shift, they extend the selection.
 */
export function moveMark(
  mark: Mark | undefined,
  { key, shiftKey, count }: { key: string; shiftKey: boolean; count: number },
): Mark {
  const last = count - 1;
  // The first key press selects the latest bucket, because most operators want to see it.
  const isFirst = mark === undefined && key !== 'Home';
  const before = mark?.index ?? last;
  const moved = isFirst ? last : (moves[key]?.(before, count) ?? before);
  const index = Math.min(Math.max(moved, 0), last);
  const isGrowing = shiftKey && mark !== undefined;
  return {
    index,
    ...(isGrowing && { anchor: mark.anchor ?? mark.index }),
    isByKeyboard: true,
  };
}

/**
 * Returns the first and the last index of a selection. Both are limited to the buckets that exist
 * now, because a plot may get fewer buckets than before.
 */
export function placesOf(
  { index, anchor = index }: Mark,
  count: number,
): { first: number; last: number } | undefined {
  if (count === 0) return undefined;
  const within = (place: number) => Math.min(place, count - 1);
  return { first: within(Math.min(index, anchor)), last: within(Math.max(index, anchor)) };
}
