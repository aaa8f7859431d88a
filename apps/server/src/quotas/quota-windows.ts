import type { QuotaWindow, WindowName } from '@animal-store/contract';
import type { QuotaDecision } from '@animal-store/quotas';

/**
 * Converts the minute window and the day window of a quota decision to the format of a response
 * body.
 */
export function toQuotaWindows({ windows }: QuotaDecision): Record<WindowName, QuotaWindow> {
  const [minute, day] = windows.map(({ limit, remaining, resetAt }) => ({
    limit,
    remaining,
    resetsAt: toInstant(resetAt),
  }));
  if (minute === undefined || day === undefined)
    throw new TypeError(
      `Expected a quota decision with two windows, minute and day, but got ${windows.length}.`,
    );
  return { minute, day };
}

/** Converts a Unix time in seconds to ISO 8601 for a response body. */
export function toInstant(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}
