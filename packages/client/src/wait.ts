/** The longest time that a timer can hold; a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Those who wait for a signal. They share one listener: from the eleventh on Node warns of a leak. */
class Waiters extends Set<() => void> {
  handleEvent() {
    for (const end of this) end();
  }
}

const waitersOf = new WeakMap<AbortSignal, Waiters>();

/**
 * Waits for a time to pass, if one is given, for a signal to abort, or for an event, whichever comes
 * first. Leaves neither a timer nor a listener behind. It never throws: the caller does, so that its
 * own frames are in the stack of the error.
 *
 * @param onEnd is given the function that ends the wait.
 */
export function waitFor(
  ms: number,
  signal: AbortSignal | undefined,
  onEnd?: (end: () => void) => unknown,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // Some runtimes cut off the fraction, and a wait must never be too short.
    const timer = setTimeout(end, Math.min(Math.ceil(ms), maxTimerMs));
    const waiters = signal && (waitersOf.get(signal) ?? new Waiters());
    if (waiters) {
      waitersOf.set(signal, waiters.add(end));
      // To add the same listener again does nothing.
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
