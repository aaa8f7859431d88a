/** The longest time that a timer can hold; a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Waits for a time to pass, if one is given, for an event to settle, or for a signal to abort, whichever comes first.
 * Leaves neither a timer nor a listener behind. It never throws: the caller does, so that its own
 * frames are in the stack of the error.
 */
export async function waitFor(
  ms: number | undefined,
  signal: AbortSignal | undefined,
  event?: Promise<unknown>,
): Promise<void> {
  if (signal?.aborted) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let end: (value?: unknown) => void = () => {};
  await new Promise((resolve) => {
    end = resolve;
    // Some runtimes cut off the fraction, and a wait must never be too short.
    if (ms !== undefined) timer = setTimeout(end, Math.min(Math.ceil(ms), maxTimerMs));
    signal?.addEventListener('abort', end);
    event?.then(end, end);
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', end);
}
