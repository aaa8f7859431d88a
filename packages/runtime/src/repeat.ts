import type { Clock, Timer } from './clock.ts';

/**
 * Repeats work, with a pause before each run. The pause varies by a fifth, so that replicas which
 * started together do not keep working at the same moments.
 *
 * @param work returns `true` if there is more to do; the next run then follows without a pause.
 * @param options.onFailure called with the error of the work, which is repeated all the same.
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
     * Runs the work at once, and then continues as before. If the work is running, it runs once
     * more afterwards, because the current run may have begun too early for the caller.
     */
    async now(): Promise<void> {
      if (stopped) return;
      if (running === undefined) return run();
      again ??= runAgain();
      return again;
    },

    /** Waits for the current run, and starts no more. */
    async stop(): Promise<void> {
      stopped = true;
      clock.cancel(timer);
      await running;
    },
  };
}
