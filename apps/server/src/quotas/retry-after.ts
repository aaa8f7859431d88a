import type { RateLimitWindow } from '@animal-store/contract';

/** A window with its exact end, of which callers see whole seconds. */
export interface ExactWindow extends RateLimitWindow {
  readonly endsAtMs: number;
}

/**
 * The window that a 429 describes. `Retry-After` is the time until it resets. It is the one that denied
 * the request; if both did, the one that resets later, because the next request is admitted then.
 */
export function denyingWindow([minute, day = minute]: readonly [
  ExactWindow,
  ExactWindow?,
]): ExactWindow {
  if (day.remaining > 0) return minute;
  return minute.remaining > 0 || day.endsAtMs > minute.endsAtMs ? day : minute;
}
