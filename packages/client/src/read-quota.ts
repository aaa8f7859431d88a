import { parseRetryAfter } from './parse-retry-after.ts';
import { readRateLimit } from './read-rate-limit.ts';
import type { Answer } from './response.ts';

/** What an answer says about the window that has least left. */
export interface Quota {
  /** Requests that the window has room for. */
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /** When the window resets, by the service's clock: Unix time in milliseconds. */
  resetAt: number;
  /** The same by the clock of `performance.now()`; perhaps late, never early. */
  endsAtMs: number;
  /** The limit of the minute, on which the number of strikes depends; 0 if unknown. */
  perMinute: number;
  /** The code of a call that is not sent. */
  code: string;
}

/** What is known before the first answer, and after one that says nothing. */
export const unknownQuota: Quota = {
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetAt: 0,
  endsAtMs: 0,
  perMinute: 0,
  code: '',
};

/** Reads what an answer says. */
export function readQuota({ response: { status, headers }, text }: Answer): Quota {
  const state = readRateLimit(headers);
  let lengthMs: number | undefined;
  if (status === 429) lengthMs = parseRetryAfter(headers);
  else if (state) {
    // Relative to now, so it does not depend on the clock of this machine. The first window that has
    // as much left is the one that `X-RateLimit-*` reports.
    const window = new RegExp(`;r=${state.remaining};t=(\\d+)`).exec(
      headers.get('RateLimit') ?? '',
    );
    lengthMs = window ? Number(window[1]) * 1000 : Number(state.resetAt) - Date.now();
  }
  if (lengthMs === undefined) return unknownQuota;
  const policy = /;q=(\d+);w=60\b/.exec(headers.get('RateLimit-Policy') ?? '');
  return {
    limit: state?.limit ?? Number.POSITIVE_INFINITY,
    remaining: status === 429 || !state ? 0 : state.remaining,
    resetAt: Number(state?.resetAt ?? Date.now() + lengthMs),
    endsAtMs: performance.now() + lengthMs,
    perMinute: Number(policy?.[1] ?? 0),
    code: /key_temporarily_banned/.exec(text)?.[0] ?? 'rate_limit_exceeded',
  };
}
