import { signal } from '@preact/signals';

/**
 * The smallest difference of the clocks that the page reports, in milliseconds. A smaller difference
 * moves plots by at most one bar.
 */
const reportedMs = 2 * 60_000;

/**
 * How far the clock of this computer is ahead of the clock of the service, in whole minutes. The
 * number is negative if the clock is behind, and 0 if the difference is small.
 */
export const minutesAhead = signal(0);

/**
 * Compares the clock of this computer with the `Date` header of a response that has just arrived.
 * The page computes periods by its own clock. With a wrong clock, the period "last hour" would
 * contain no requests, and a plot would look like an outage.
 */
export function compareClocks({ headers }: Response): void {
  const ahead = Date.now() - Date.parse(headers.get('Date') ?? '');
  if (Number.isNaN(ahead)) return;
  minutesAhead.value = Math.abs(ahead) < reportedMs ? 0 : Math.round(ahead / 60_000);
}
