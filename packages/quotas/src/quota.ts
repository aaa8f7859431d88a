/** How many requests a consumer may make: in each window of 60 s, and of 86,400 s. */
export interface Quota {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The greatest limit, because counts are stored as 32-bit integers. */
export const maxLimit: number = 2 ** 31 - 1;

/** Lengths of the windows, in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const;

/** The name of a window. */
export type WindowName = keyof typeof windowSeconds;

/** A count in a fixed window. The first request that is counted opens the window. */
export interface WindowCount {
  readonly used: number;
  /** Unix time in milliseconds; 0 while the window is not open. */
  readonly endsAtMs: number;
}

/** A window, as a decision describes it. */
export interface QuotaWindow {
  readonly name: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in seconds. */
  readonly resetAt: number;
  /** Whole seconds from the decision to the reset. */
  readonly resetInSeconds: number;
  /** Unix time in milliseconds. */
  readonly endsAtMs: number;
}

/**
 * Describes a window. One that is not open is described as if it began now.
 *
 * @param now Unix time in milliseconds.
 */
export function describeWindow(
  name: WindowName,
  limit: number,
  { used, endsAtMs }: WindowCount,
  now: number,
): QuotaWindow {
  const resetAtMs = endsAtMs || now + windowSeconds[name] * 1_000;
  return {
    name,
    limit,
    // A change of plan may have lowered the limit below what was used.
    remaining: Math.max(0, limit - used),
    // Rounded up: at the second that is reported, the window has reset.
    resetAt: Math.ceil(resetAtMs / 1_000),
    // Rounded up as well, so that waiting that long always suffices.
    resetInSeconds: Math.max(1, Math.ceil((resetAtMs - now) / 1_000)),
    endsAtMs: resetAtMs,
  };
}

/**
 * Chooses the window that a caller is told of: the one that denied the request; if both did, the one that resets
 * later, because the next request is admitted then. Of an admitted request, the one with the least remaining; if
 * equal, the minute.
 */
export function reportedWindow(
  [minute, day = minute]: readonly [QuotaWindow, QuotaWindow?],
  isAdmitted: boolean,
): QuotaWindow {
  if (isAdmitted) return day.remaining < minute.remaining ? day : minute;
  if (day.remaining > 0) return minute;
  return minute.remaining > 0 || day.endsAtMs > minute.endsAtMs ? day : minute;
}
