import { matchField } from './match-field.ts';
import { parseRetryAfter } from './parse-retry-after.ts';
import { readRateLimit } from './read-rate-limit.ts';
import type { Answer } from './response.ts';

/** The window with the least left, from a response. */
export interface TightestWindow {
  /** The limit of the window, in requests. */
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /** When the window resets, by the service's clock. */
  resetAt: Date;
  /** The same time by the clock of `performance.now()`; it may be late, but never early. */
  endsAtMs: number;
  /** The limit of the minute, which determines the number of strikes; 0 if unknown. */
  perMinute: number;
  /** The error code of a call that is not sent. */
  code: string;
}

/** The state before the first response, and after a response without headers. */
export const unknownWindow: TightestWindow = {
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetAt: new Date(0),
  endsAtMs: 0,
  perMinute: 0,
  code: '',
};

/** Reads the window from a response. */
export function readTightestWindow({
  response: { status, headers },
  text,
}: Answer): TightestWindow {
  const state = readRateLimit(headers);
  let lengthMs: number | undefined;
  if (status === 429) lengthMs = parseRetryAfter(headers);
  else if (state) {
    // The time is relative to now, so it does not depend on the clock of this machine. The first
    // window with as much left is the one that `X-RateLimit-*` reports. There is no regular
    // expression here, because creating one for each response takes more time than all the rest.
    const field = headers.get('RateLimit')?.split(`;r=${state.remaining};t=`)[1];
    const seconds = Number.parseInt(field ?? '', 10);
    lengthMs = seconds >= 0 ? seconds * 1000 : Number(state.resetAt) - Date.now();
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
