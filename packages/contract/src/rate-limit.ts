/** Names of the headers that describe the caller's quota, on every response under `/v1`. */
export const rateLimitHeaders = {
  /** The limit of the most restrictive window (integer). */
  limit: 'X-RateLimit-Limit',
  /** Requests left in that window (integer). */
  remaining: 'X-RateLimit-Remaining',
  /** When that window resets: Unix time in seconds. */
  reset: 'X-RateLimit-Reset',
  /** Every window's limit and length (draft-ietf-httpapi-ratelimit-headers-10, §3). */
  policies: 'RateLimit-Policy',
  /** Every window's remaining requests and seconds to its reset (the same draft, §4). */
  state: 'RateLimit',
  /** Whole seconds to wait, on 429 and 503 (RFC 9110, §10.2.3). */
  retryAfter: 'Retry-After',
} as const;

/** The lengths of the quota windows, in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const;

/** The name of a quota window. */
export type WindowName = keyof typeof windowSeconds;

/** One quota window, as response headers describe it. */
export interface RateLimitWindow {
  name: WindowName;
  limit: number;
  remaining: number;
  /** Unix time in seconds. */
  resetAt: number;
  /** Whole seconds from now to the reset. */
  resetInSeconds: number;
}

/** A count in a fixed window. The first counted request opens the window. */
export interface WindowCount {
  readonly used: number;
  /** Unix time in milliseconds; 0 while the window is not open. */
  readonly endsAtMs: number;
}

/** A window with its exact end. Callers see whole seconds. */
export interface ExactWindow extends RateLimitWindow {
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
): ExactWindow {
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
 * Chooses the window for `X-RateLimit-*` and `Retry-After`. For a denied request, it is the window
 * that denied. If both denied, it is the one that resets later, because the next request is
 * admitted then. For an admitted request, it is the window with less remaining, or the minute if
 * both are equal.
 */
export function reportedWindow<Window extends ExactWindow>(
  [minute, day = minute]: readonly [Window, Window?],
  isAdmitted: boolean,
): Window {
  if (isAdmitted) return day.remaining < minute.remaining ? day : minute;
  if (day.remaining > 0) return minute;
  return minute.remaining > 0 || day.endsAtMs > minute.endsAtMs ? day : minute;
}

/** The quota in the three `X-RateLimit-*` headers of a response. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** Unix time in seconds. */
  resetAt: number;
}

/**
 * Formats the headers of a response.
 *
 * @param reported the most restrictive window.
 * @param windows all windows that apply to the caller.
 */
export function formatRateLimit(
  reported: RateLimit,
  windows: readonly RateLimitWindow[],
): Record<string, string> {
  // Every request needs these headers, so one loop formats all of them.
  let policies = '';
  let states = '';
  for (const { name, limit, remaining, resetInSeconds } of windows) {
    if (policies !== '') {
      policies += ', ';
      states += ', ';
    }
    policies += `"${name}";q=${limit};w=${windowSeconds[name]}`;
    states += `"${name}";r=${remaining};t=${resetInSeconds}`;
  }
  return {
    [rateLimitHeaders.limit]: String(reported.limit),
    [rateLimitHeaders.remaining]: String(reported.remaining),
    [rateLimitHeaders.reset]: String(reported.resetAt),
    [rateLimitHeaders.policies]: policies,
    [rateLimitHeaders.state]: states,
  };
}

/**
 * Parses the headers of a response.
 *
 * @param get returns a header field by its name, like `Headers.get`.
 * @returns `undefined` unless all three `X-RateLimit-*` fields are whole numbers.
 */
export function parseRateLimit(get: (name: string) => string | null): RateLimit | undefined {
  const limit = parseWhole(get(rateLimitHeaders.limit));
  const remaining = parseWhole(get(rateLimitHeaders.remaining));
  const resetAt = parseWhole(get(rateLimitHeaders.reset));
  return limit === undefined || remaining === undefined || resetAt === undefined
    ? undefined
    : { limit, remaining, resetAt };
}

function parseWhole(field: string | null): number | undefined {
  return field !== null && /^\d{1,15}$/.test(field) ? Number(field) : undefined;
}
