import { sleep, systemClock } from '@animal-store/runtime';

/**
 * The pause between two readings of the metrics. A reading blocks the event loop for about 3 ms, so
 * readings take at most 6 % of the time.
 */
const pauseMs = 50;

/**
 * Creates a function that returns the metrics for a scrape. Scrapes that arrive at about the same
 * time share one reading of the metrics. Otherwise many scrapes would delay the requests of
 * callers.
 *
 * A scrape only shares a reading that has not begun when the scrape arrives. So a scrape never gets
 * metrics that are older than the scrape itself.
 *
 * @param show a function that writes the metrics as text.
 */
export function paceScrapes<Text>(
  show: () => Promise<Text>,
  clock = systemClock,
): () => Promise<Text> {
  let next: Promise<Text> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function showAfter(earlier: Promise<unknown>): Promise<Text> {
    await earlier;
    next = undefined;
    return show();
  }

  const pause = () => sleep(pauseMs, clock);

  return () => {
    if (next === undefined) {
      next = showAfter(last);
      last = next.then(pause, pause);
    }
    return next;
  };
}
