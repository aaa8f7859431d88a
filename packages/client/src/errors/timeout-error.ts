import { ConnectionError } from './connection-error.ts';

/**
 * An error for a call without a complete response within `timeoutMs`. The service may have executed
 * the request. If the message says `not sent`, the last attempt was not sent: it waited for the
 * responses to earlier requests for `maxRetryAfterMs`, or for `timeoutMs` if that is longer.
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
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'TimeoutError' as const;
}
