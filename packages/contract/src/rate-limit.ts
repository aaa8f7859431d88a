/**
 * The names of the headers that describe the caller's quota. Every response under `/v1` has them,
 * except for `Retry-After`.
 */
export const rateLimitHeaders = {
  /** The limit of the most restrictive window, as an integer. */
  limit: 'X-RateLimit-Limit',
  /** The number of requests left in the most restrictive window, as an integer. */
  remaining: 'X-RateLimit-Remaining',
  /** The time when the most restrictive window resets, as Unix time in seconds. */
  reset: 'X-RateLimit-Reset',
  /** The limit and the length of every window (draft-ietf-httpapi-ratelimit-headers-10, §3). */
  policies: 'RateLimit-Policy',
  /**
   * The remaining requests of every window, and the seconds until its reset
   * (draft-ietf-httpapi-ratelimit-headers-10, §4).
   */
  state: 'RateLimit',
  /** The number of whole seconds to wait after a 429 or a 503 (RFC 9110, §10.2.3). */
  retryAfter: 'Retry-After',
} as const;

/** The lengths of the quota windows, in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const;

/** The name of a quota window. */
export type WindowName = keyof typeof windowSeconds;

/** The state of one quota window, as the response headers describe it. */
export interface RateLimitWindow {
  name: WindowName;
  limit: number;
  remaining: number;
  /** The time of the reset, as Unix time in seconds. */
  resetAt: number;
  /** The number of whole seconds from now to the reset. */
  resetInSeconds: number;
}

/** The quota state that the three `X-RateLimit-*` headers of a response contain. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** The time of the reset, as Unix time in seconds. */
  resetAt: number;
}

/**
 * Formats the quota headers of a response.
 *
 * @param reported the most restrictive window.
 * @param windows all windows that apply to the caller.
 */
export function formatRateLimit(
  reported: RateLimit,
  windows: readonly RateLimitWindow[],
): Record<string, string> {
  // Every response needs these headers, so this code must be fast: a single loop formats all
  // windows.
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
 * Parses the quota headers of a response.
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
