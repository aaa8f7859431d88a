import type { RateLimitWindow } from '@animal-store/contract';
import type { Outcome } from './decide.ts';

/** A window with its exact end, of which callers see whole seconds. */
export interface ExactWindow extends RateLimitWindow {
  readonly endsAtMs: number;
}

/**
 * The most restrictive window, which `X-RateLimit-*` and `Retry-After` describe: the one that
 * denied the request, otherwise the one with the least remaining.
 */
export function limitingWindow(
  outcome: Outcome,
  [minute, day = minute]: readonly [ExactWindow, ExactWindow?],
): ExactWindow {
  if (outcome === 'admitted') return day.remaining < minute.remaining ? day : minute;
  if (day.remaining > 0) return minute;
  // If both denied the request, the next one is admitted when the later of the two resets.
  return minute.remaining > 0 || day.endsAtMs > minute.endsAtMs ? day : minute;
}

/** Whole seconds to wait, at least 1. Rounded up, so that waiting that long always suffices. */
export function secondsUntil(endsAtMs: number, now: number): number {
  return Math.max(1, Math.ceil((endsAtMs - now) / 1_000));
}
