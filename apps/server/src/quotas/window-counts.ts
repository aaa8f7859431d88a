/** A count in a fixed window. The first request that is counted opens the window. */
export interface WindowCount {
  readonly used: number;
  /** Unix time in milliseconds; 0 while the window is not open. */
  readonly endsAtMs: number;
}

/** What the requests of a subject have used of its quota. */
export interface Counts {
  readonly minute: WindowCount;
  readonly day: WindowCount;
}

export const notOpen: WindowCount = { used: 0, endsAtMs: 0 };

export const unused: Counts = { minute: notOpen, day: notOpen };

/** Treats a window that is over as one that is not open. */
export function unlessOver(count: WindowCount, now: number): WindowCount {
  return now < count.endsAtMs ? count : notOpen;
}

/** Adds one. A window that is not open begins now and lasts `seconds`. */
export function addOne({ used, endsAtMs }: WindowCount, now: number, seconds: number): WindowCount {
  return { used: used + 1, endsAtMs: endsAtMs === 0 ? now + seconds * 1_000 : endsAtMs };
}
