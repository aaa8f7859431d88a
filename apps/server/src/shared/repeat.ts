/** Work that is repeated until it is stopped. */
export interface Repetition {
  /** Waits for the work that is under way, and starts no more. */
  stop(): Promise<void>;
}

/**
 * Repeats work, with a pause before each time. The pause varies by a fifth, so that replicas which
 * were started together do not keep working at the same moments.
 *
 * @param onFailure called with what the work threw; it is repeated all the same.
 */
export function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  onFailure: (failure: unknown) => void,
): Repetition {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (stopped) return;
    timer = setTimeout(
      () => {
        running = work().catch(onFailure).then(schedule);
      },
      pauseMs * (0.8 + 0.4 * Math.random()),
    );
  }

  schedule();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
