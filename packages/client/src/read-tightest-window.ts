import { matchField } from './match-field.ts';
import { parseHttpDate } from './parse-http-date.ts';
import { parseRetryAfter } from './parse-retry-after.ts';
import { readRateLimit } from './read-rate-limit.ts';
import type { Answer } from './response.ts';

/** The window with the fewest requests left, according to a response. */
export interface TightestWindow {
  /** The limit of the window, in requests. */
  limit: number;
  /** The number of requests left in the window. */
  remaining: number;
  /** The time when the window resets, by the clock of the service. */
  resetAt: Date;
  /**
   * The time when the window resets, by the clock of `performance.now()`. It may be later than the
   * real reset, but never earlier.
   */
  endsAtMs: number;
  /**
   * The limit of the minute window, which determines how many strikes (denied requests) lead to a
   * ban. The value is 0 if the limit is unknown.
   */
  perMinute: number;
  /** The error code for a call that is refused because of this window. */
  code: string;
}

/**
 * The window before the first response, and after a response without rate-limit headers. It allows
 * all requests.
 */
export const unknownWindow: TightestWindow = {
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetAt: new Date(0),
  endsAtMs: 0,
  perMinute: 0,
  code: '',
};

/** Reads the window with the fewest requests left from a response. */
export function readTightestWindow({
  response: { status, headers },
  text,
}: Answer): TightestWindow {
  const state = readRateLimit(headers);
  let lengthMs: number | undefined;
  if (status === 429) lengthMs = parseRetryAfter(headers);
  else if (state) {
    // The seconds in `RateLimit` are relative, so the clock of this machine does not matter. The
    // first window with the same `remaining` is the window that `X-RateLimit-*` describes.
    //
    // The code uses no regular expression. A new one for each response would take more time than
    // the rest of the function.
    const field = headers.get('RateLimit')?.split(`;r=${state.remaining};t=`)[1];
    const seconds = Number.parseInt(field ?? '', 10);
    // A proxy may have removed `RateLimit`. The reset time is then compared with the `Date` of the
    // response, because a wrong clock of this machine could make the wait an hour too long.
    const now = parseHttpDate(headers, 'Date') ?? Date.now();
    lengthMs = seconds >= 0 ? seconds * 1000 : Number(state.resetAt) - now;
  }
  if (lengthMs === undefined) return unknownWindow;
  return {
    ...unknownWindow,
    resetAt: new Date(Date.now() + lengthMs),
    ...state,
    ...(status === 429 && { remaining: 0 }),
    endsAtMs: performance.now() + lengthMs,
    perMinute: Number(matchField(headers, 'RateLimit-Policy', /;q=(\d+);w=60\b/) ?? 0),
    code: /key_temporarily_banned/.exec(text)?.[0] ?? 'rate_limit_exceeded',
  };
}
