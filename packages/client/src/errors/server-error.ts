import { ApiError } from './api-error.ts';

/**
 * An error for a status from 500 to 599: the service, or a proxy in front of it, failed.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets();
 * } catch (error) {
 *   if (error instanceof ServerError) console.error(error.status, error.requestId);
 *   else throw error;
 * }
 * ```
 */
export class ServerError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'ServerError' as const;
}
