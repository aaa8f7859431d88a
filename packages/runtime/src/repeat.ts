import type { Clock, Timer } from './clock.ts';

/**
 * Repeats work, with a pause before each time. The pause varies by a fifth, so that replicas which
 * were started together do not keep working at the same moments.
 *
 * @param work gives `true` if there is more to do: then it is repeated without a pause.
 * @param options.onFailure called with what the work threw; it is repeated all the same.
 */
export function repeat(
  work: () => Promise<unknown>,
  options: { clock: Clock; pauseMs: number; onFailure: (failure: unknown) => void },
) {
  const { clock, pauseMs, onFailure } = options;
  let stopped = false;
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let timer: Timer | undefined;

  function run(): Promise<void> {
    clock.cancel(timer);
    running = workToTheEnd().catch(onFailure).then(schedule);
    return running;
  }

  async function workToTheEnd(): Promise<void> {
    let isMore: unknown;
    do isMore = await work();
    while (isMore === true && !stopped);
  }

  function schedule(): void {
    running = undefined;
    if (!stopped) timer = clock.after(pauseMs * (0.8 + 0.4 * Math.random()), run);
  }

  async function runAgain(): Promise<void> {
    await running;
    again = undefined;
    if (!stopped) await run();
  }

  schedule();
  return {
    /**
     * Works at once, and then goes on as before. If work is under way, it is done once more afterwards: it
     * may have begun before what the caller wants to have done.
     */
    async now(): Promise<void> {
      if (stopped) return;
      if (running === undefined) return run();
      again ??= runAgain();
      return again;
    },

    /** Waits for the work that is under way, and starts no more. */
    async stop(): Promise<void> {
      stopped = true;
      clock.cancel(timer);
      await running;
    },
  };
}
