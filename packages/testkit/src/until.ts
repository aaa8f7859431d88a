import { setTimeout as sleep } from 'node:timers/promises';
import { eventMs } from './time-limits.ts';

const maxPauseMs = 500;

/**
 * Repeats `probe` until it returns something truthy, and returns that.
 *
 * A probe that throws is repeated. When the time is up, its last error is the `cause`.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  { timeoutMs = eventMs }: { timeoutMs?: number } = {},
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const over = Symbol('over');
  const timer = new AbortController();
  const startedAt = performance.now();
  const deadline = sleep(timeoutMs, over, { signal: timer.signal });
  // This rejects when the timer is aborted below, which is not a failure.
  deadline.catch(() => {});
  let cause: unknown;
  try {
    for (;;) {
      try {
        // The race is needed because the probe may hang.
        const answer = await Promise.race([probe(), deadline]);
        if (answer === over) break;
        if (answer) return answer as Exclude<T, false | 0 | '' | null | undefined>;
        cause = undefined;
      } catch (error) {
        cause = error;
      }
      // The pauses get longer, because each probe slows down what it waits for.
      const pauseMs = Math.min(maxPauseMs, 5 + (performance.now() - startedAt) / 10);
      if ((await Promise.race([sleep(pauseMs), deadline])) === over) break;
    }
  } finally {
    timer.abort();
  }
  throw new Error(`Not within ${timeoutMs} ms: ${probe}`, { cause });
}
