import { setTimeout as sleep } from 'node:timers/promises';
import { eventMs } from './time-limits.ts';

const maxPauseMs = 500;

/**
 * Repeats `probe` until it returns a truthy value, and returns that value.
 *
 * If `probe` throws, it is repeated as well. After the timeout, an error is thrown, with the last
 * error of `probe` as its `cause`.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  { timeoutMs = eventMs }: { timeoutMs?: number } = {},
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const over = Symbol('over');
  const timer = new AbortController();
  const startedAt = performance.now();
  const deadline = sleep(timeoutMs, over, { signal: timer.signal });
  // When the wait ends early, its timer is aborted and `deadline` rejects. This rejection is
  // expected.
  deadline.catch(() => {});
  let cause: unknown;
  try {
    for (;;) {
      try {
        // The probe is raced against the deadline, because the promise of the probe may never
        // settle.
        const answer = await Promise.race([probe(), deadline]);
        if (answer === over) break;
        if (answer) return answer as Exclude<T, false | 0 | '' | null | undefined>;
        cause = undefined;
      } catch (error) {
        cause = error;
      }
      // The pauses get longer, because each probe takes CPU time from the thing that it waits for.
      const pauseMs = Math.min(maxPauseMs, 5 + (performance.now() - startedAt) / 10);
      if ((await Promise.race([sleep(pauseMs), deadline])) === over) break;
    }
  } finally {
    timer.abort();
  }
  throw new Error(`The condition was not met within ${timeoutMs} ms: ${probe}`, { cause });
}
