/** What somebody looks at in a plot. */
export interface Mark {
  /** The number of the bucket. */
  readonly index: number;
  /** Where a choice of several buckets began. */
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

/** Whether a key moves a mark. */
export const isMoved = (key: string): boolean => Object.hasOwn(moves, key);

/** Moves a mark as sliders do (ARIA Authoring Practices); with Shift, what is chosen grows. */
export function moveMark(
  mark: Mark | undefined,
  { key, shiftKey, count }: { key: string; shiftKey: boolean; count: number },
): Mark {
  const last = count - 1;
  // The first key begins at the latest bucket, which most want to see.
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

/** The first and the last bucket of a mark. There may be fewer now than when it was made. */
export function placesOf(
  { index, anchor = index }: Mark,
  count: number,
): { first: number; last: number } | undefined {
  if (count === 0) return undefined;
  const within = (place: number) => Math.min(place, count - 1);
  return { first: within(Math.min(index, anchor)), last: within(Math.max(index, anchor)) };
}
