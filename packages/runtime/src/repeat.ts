import type { Clock, Timer } from './clock.ts';

/**
 * Runs work again and again, with a pause before each run. The pause varies by up to a fifth, so
 * that replicas that started together do not always run at the same moments.
 *
 * @param work the work. It returns `true` if there is more to do, and is then run again without a
 *   pause.
 * @param options.onFailure called with the error of failed work. After the failure, the work is run
 *   again.
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
    running = runUntilDone().catch(onFailure).then(schedule);
    return running;
  }

  async function runUntilDone(): Promise<void> {
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
     * Runs the work immediately, and then continues with the pauses. If the work is already
     * running, it is run once more after the current run, because the current run may have started
     * before the change that the caller wants to handle.
     */
    async now(): Promise<void> {
      if (stopped) return;
      if (running === undefined) return run();
      again ??= runAgain();
      return again;
    },

    /** Waits for the current run, and starts no further run. */
    async stop(): Promise<void> {
      stopped = true;
      clock.cancel(timer);
      await running;
    },
  };
}
