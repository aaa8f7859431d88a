import { ConnectionError } from './connection-error.ts';

/**
 * No complete response arrived within `timeoutMs`. The service may have executed the request,
 * unless the message says `not sent`: then earlier requests had no response for as long as the call
 * may wait.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets({}, { timeoutMs: 2_000, maxRetries: 0 });
 * } catch (error) {
 *   if (error instanceof TimeoutError) console.error('too slow:', error.message);
 *   else throw error;
 * }
 * ```
 */
export class TimeoutError extends ConnectionError {
  /** The name of the class, which narrows the type. */
  override readonly name = 'TimeoutError' as const;
}
