import { ApiError } from './api-error.ts';

/**
 * An error for status 403: an operator of the service has suspended the API key or its account.
 * Only an operator can end the suspension.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets();
 * } catch (error) {
 *   if (error instanceof KeySuspendedError) console.error('ask the operator:', error.requestId);
 *   else throw error;
 * }
 * ```
 */
export class KeySuspendedError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'KeySuspendedError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 403;

  /** The machine-readable error code of the service. */
  declare readonly code: 'key_suspended';
}
