import { AnimalStoreError, type CallDetails } from './animal-store-error.ts';

/**
 * An error of a call whose `signal` was aborted. `cause` is the reason of the abort. The message
 * says what the call was waiting for. Like the errors of `fetch`, it has the name `AbortError`, so
 * existing checks of the name still work.
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
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'AbortError' as const;
}

/**
 * Throws an AbortError if the signal of the call is aborted.
 *
 * @param awaited what the call was waiting for.
 */
export function throwIfAborted(
  call: CallDetails,
  signal: AbortSignal | undefined,
  awaited: string,
): void {
  if (signal?.aborted)
    throw new AbortError(`aborted while waiting for ${awaited}`, call, signal.reason);
}
