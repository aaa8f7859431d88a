/** How many requests a consumer may make in each window of 60 s, and of 86,400 s. */
export interface Quota {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The largest limit, because counts are stored as 32-bit integers. */
export const maxLimit: number = 2 ** 31 - 1;

/** The lengths of the windows, in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const;

/** The name of a window. */
export type WindowName = keyof typeof windowSeconds;

/** A count in a fixed window. The first counted request opens the window. */
export interface WindowCount {
  readonly used: number;
  /** Unix time in milliseconds; 0 while the window is not open. */
  readonly endsAtMs: number;
}

/** A window, as a decision reports it. */
export interface QuotaWindow {
  readonly name: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in seconds. */
  readonly resetAt: number;
  /** Whole seconds from the decision until the reset. */
  readonly resetInSeconds: number;
  /** Unix time in milliseconds. */
  readonly endsAtMs: number;
}

/**
 * Describes a window. An unopened window is described as if it began now.
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
    // A change of the plan may have lowered the limit below the count.
    remaining: Math.max(0, limit - used),
    // The time is rounded up, so that the window has reset at the reported second.
    resetAt: Math.ceil(resetAtMs / 1_000),
    // This is rounded up as well, so that a caller who waits that long is admitted.
    resetInSeconds: Math.max(1, Math.ceil((resetAtMs - now) / 1_000)),
    endsAtMs: resetAtMs,
  };
}

/**
 * Chooses the window to report. For a denied request, it is the window that denied. If both denied,
 * it is the one that resets later, because the next request is admitted then. For an admitted
 * request, it is the window with less remaining, or the minute if both are equal.
 */
export function reportedWindow(
  [minute, day = minute]: readonly [QuotaWindow, QuotaWindow?],
  isAdmitted: boolean,
): QuotaWindow {
  if (isAdmitted) return day.remaining < minute.remaining ? day : minute;
  if (day.remaining > 0) return minute;
  return minute.remaining > 0 || day.endsAtMs > minute.endsAtMs ? day : minute;
}
