/** The longest delay of a timer. `setTimeout` fires immediately for a longer delay. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * The waits for one signal. They share one listener, because Node warns of a memory leak if a
 * signal has more than ten.
 */
class Waiters extends Set<() => void> {
  handleEvent() {
    for (const end of this) end();
  }
}

const waitersOf = new WeakMap<AbortSignal, Waiters>();

/**
 * Waits until a time has passed, a signal aborts, or an event occurs, whichever comes first.
 * Afterwards, no timer and no listener is left.
 *
 * The function never throws, not even after an abort. The caller throws the error itself, so that
 * the stack of the error shows the caller.
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
    // The delay is rounded up, because some runtimes drop the fraction of a millisecond, and a wait
    // must never be too short.
    const timer = setTimeout(end, Math.min(Math.ceil(ms), maxTimerMs));
    const waiters = signal && (waitersOf.get(signal) ?? new Waiters());
    if (waiters) {
      waitersOf.set(signal, waiters.add(end));
      // `addEventListener` does nothing if the signal already has this listener, so all waits of a
      // signal share one listener.
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
