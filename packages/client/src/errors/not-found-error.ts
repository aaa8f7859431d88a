import { ApiError } from './api-error.ts';

/**
 * There is no such animal (`pet_not_found`), or no such path (`not_found`).
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
  /** The name of the class, which narrows the type. */
  override readonly name = 'NotFoundError' as const;

  /** The HTTP status of the answer. */
  declare readonly status: 404;
}
