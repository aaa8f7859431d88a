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

/** Lengths of the quota windows, in seconds. */
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

/** The quota that the three `X-RateLimit-*` headers of a response describe. */
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
  // Every request needs them, so they are put together in one pass.
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
 * @param get gives a header field by its name, as `Headers.get` does.
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
