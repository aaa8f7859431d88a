import { ApiError } from './api-error.ts';

/**
 * An error for status 401: the API key is missing, wrong, expired or revoked. A retry with the same
 * key does not help. If `apiKey` is a function, the client has already called it again. The
 * client has retried the call once if the function returned another key.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets();
 * } catch (error) {
 *   if (error instanceof AuthenticationError) console.error('check ANIMAL_STORE_API_KEY');
 *   else throw error;
 * }
 * ```
 */
export class AuthenticationError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'AuthenticationError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 401;
}
