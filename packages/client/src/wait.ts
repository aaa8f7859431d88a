/** The longest time of a timer; a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * The waits for each signal. They share one listener, because Node warns of a leak from the
 * eleventh listener on.
 */
class Waiters extends Set<() => void> {
  handleEvent() {
    for (const end of this) end();
  }
}

const waitersOf = new WeakMap<AbortSignal, Waiters>();

/**
 * Waits for a time to pass, if one is given, for a signal to abort, or for an event, whichever
 * comes first. It leaves neither a timer nor a listener behind. It never throws: the caller throws,
 * so that its own frames are in the stack of the error.
 *
 * @param onEnd receives the function that ends the wait.
 */
export function waitFor(
  ms: number,
  signal: AbortSignal | undefined,
  onEnd?: (end: () => void) => unknown,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // Some runtimes drop the fraction, and a wait must never be too short.
    const timer = setTimeout(end, Math.min(Math.ceil(ms), maxTimerMs));
    const waiters = signal && (waitersOf.get(signal) ?? new Waiters());
    if (waiters) {
      waitersOf.set(signal, waiters.add(end));
      // Adding the same listener again has no effect.
      signal.addEventListener('abort', waiters);
    }
    onEnd?.(end);

    function end() {
      clearTimeout(timer);
      waiters?.delete(end);
      if (waiters?.size === 0) signal?.removeEventListener('abort', waiters);
      resolve();
    }
  });
}
