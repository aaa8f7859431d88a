/**
 * The number of requests that a consumer (a caller with a quota) may make in each window of 60 s,
 * and in each window of 86,400 s.
 */
export interface Quota {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The largest limit of a window. Redis stores counts as 32-bit integers. */
export const maxLimit: number = 2 ** 31 - 1;

/** The lengths of the windows, in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const;

/** The name of a window. */
export type WindowName = keyof typeof windowSeconds;

/** The count of a fixed window. The first counted request opens the window. */
export interface WindowCount {
  readonly used: number;
  /** The end of the window, as Unix time in milliseconds. It is 0 before the first request. */
  readonly endsAtMs: number;
}

/** The state of a window, as a decision reports it. */
export interface QuotaWindow {
  readonly name: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** The time of the reset, as Unix time in seconds. */
  readonly resetAt: number;
  /** The number of whole seconds from the decision until the reset. */
  readonly resetInSeconds: number;
  /** The exact time of the reset, as Unix time in milliseconds. */
  readonly endsAtMs: number;
}

/**
 * Describes a window for the caller. A window that no request has opened is described as if it
 * began now.
 *
 * @param now the current Unix time in milliseconds.
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
    // The count may be above the limit, because a change of the plan may have lowered the limit.
    remaining: Math.max(0, limit - used),
    // The time is rounded up, so that the window has certainly reset at that second.
    resetAt: Math.ceil(resetAtMs / 1_000),
    // The wait is rounded up, so that a request after this wait is certainly admitted.
    resetInSeconds: Math.max(1, Math.ceil((resetAtMs - now) / 1_000)),
    endsAtMs: resetAtMs,
  };
}

/**
 * Chooses the window to report.
 *
 * For a denied request, it is the window that denied it. If both windows denied it, it is the
 * window that resets later, because no request is admitted before that.
 *
 * For an admitted request, it is the window with fewer requests left, or the minute if both have
 * the same number.
 */
export function reportedWindow(
  [minute, day = minute]: readonly [QuotaWindow, QuotaWindow?],
  isAdmitted: boolean,
): QuotaWindow {
  if (isAdmitted) return day.remaining < minute.remaining ? day : minute;
  if (day.remaining > 0) return minute;
  return minute.remaining > 0 || day.endsAtMs > minute.endsAtMs ? day : minute;
}
