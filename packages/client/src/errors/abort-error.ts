import { AnimalStoreError, type CallDetails } from './animal-store-error.ts';

/**
 * The caller's `signal` ended the call. `cause` is the signal's reason, and the message says what
 * the call was waiting for. `fetch` uses the same name, so code that checks `error.name ===
 * 'AbortError'` needs no change.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets({}, { signal: AbortSignal.timeout(5_000) });
 * } catch (error) {
 *   if (error instanceof AbortError) console.log('cancelled:', error.cause);
 *   else throw error;
 * }
 * ```
 */
export class AbortError extends AnimalStoreError {
  /** The name of the class, which narrows the type. */
  override readonly name = 'AbortError' as const;
}

/**
 * Ends a call whose signal has aborted.
 *
 * @param awaited what the call was waiting for, if it had begun.
 */
export function throwIfAborted(
  call: CallDetails,
  signal: AbortSignal | undefined,
  awaited?: string,
): void {
  const message = awaited ? `aborted while waiting for ${awaited}` : 'aborted';
  if (signal?.aborted) throw new AbortError(message, call, signal.reason);
}
