import { ApiError } from './api-error.ts';

/**
 * The API key is missing, wrong, expired or revoked. A retry does not help, unless `apiKey` is a
 * function that now returns another key; the client tries that once.
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
  /** The name of the class, which narrows the type. */
  override readonly name = 'AuthenticationError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 401;
}
