import { readRateLimit } from './rate-limit.ts';
import type { Answer } from './response.ts';
import { parseRetryAfter } from './retry-after.ts';

/** What an answer says about the window that has least left, on the clock of this machine. */
export interface Quota {
  /** Requests that the window has room for. */
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /** When the window resets, by the service's clock: Unix time in milliseconds. */
  resetAt: number;
  /** The same by this machine's clock, in milliseconds; perhaps late, never early. */
  endsAtMs: number;
  /** How far away that was when the answer arrived. */
  lengthMs: number;
  /** The limit of the minute, on which the number of strikes depends; 0 if unknown. */
  perMinute: number;
  /** Whether the key is banned. */
  isBanned: boolean;
}

/** Reads what an answer says, or gives `undefined` if it says nothing. */
export function readQuota(
  { response: { status, headers }, text }: Answer,
  previous: Quota | undefined,
): Quota | undefined {
  const state = readRateLimit(headers);
  let lengthMs: number | undefined;
  if (status === 429) lengthMs = parseRetryAfter(headers);
  else if (state) {
    // Relative to now, so it does not depend on the clock of this machine. The first window that has
    // as much left is the one that `X-RateLimit-*` reports.
    const window = new RegExp(`;r=${state.remaining};t=(\\d+)`);
    const [, seconds] = window.exec(headers.get('RateLimit') ?? '') ?? [];
    lengthMs = seconds === undefined ? Number(state.resetAt) - Date.now() : Number(seconds) * 1000;
  }
  if (lengthMs === undefined) return undefined;
  const policy = /;q=(\d+);w=60\b/.exec(headers.get('RateLimit-Policy') ?? '');
  return {
    limit: state?.limit ?? Number.POSITIVE_INFINITY,
    remaining: status === 429 || !state ? 0 : state.remaining,
    resetAt: Number(state?.resetAt ?? previous?.resetAt ?? 0),
    endsAtMs: Date.now() + lengthMs,
    lengthMs,
    perMinute: Number(policy?.[1] ?? 0),
    isBanned: text.includes('key_temporarily_banned'),
  };
}
