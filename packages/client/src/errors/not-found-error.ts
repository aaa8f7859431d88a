import { ApiError } from './api-error.ts';

/**
 * An error for status 404: the animal (code `pet_not_found`) or the path (code `not_found`) does
 * not exist.
 *
 * @example
 * ```ts
 * try {
 *   await store.getPet(7);
 * } catch (error) {
 *   if (error instanceof NotFoundError) console.log('no animal has this id');
 *   else throw error;
 * }
 * ```
 */
export class NotFoundError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'NotFoundError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 404;
}
