import { AbortError } from './errors/abort-error.ts';

/** The longest time that a timer can hold; one that is longer would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Waits for a time to pass, and leaves neither timer nor listener behind.
 *
 * @throws {AbortError} as soon as the signal aborts.
 */
export function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return untilAborted(signal, (resolve) => {
    // A fraction is cut off by some runtimes, and nobody may come too early.
    const timer = setTimeout(resolve, Math.ceil(ms));
    return () => clearTimeout(timer);
  });
}

/**
 * Does something until it settles or is aborted.
 *
 * @param begin begins it, and returns what cleans up after it, however it ended.
 * @throws {AbortError} as soon as the signal aborts.
 */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  let cleanUp = () => {};
  let abort = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      abort = () => reject(new AbortError('aborted by its signal', { cause: signal?.reason }));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort);
      cleanUp = begin(resolve, reject);
    });
  } finally {
    cleanUp();
    signal?.removeEventListener('abort', abort);
  }
}
