import { ApiError } from './api-error.ts';

/**
 * An error for status 400: the request was invalid. `detail` names each invalid field and the
 * expected value.
 *
 * @example
 * ```ts
 * try {
 *   await store.createPet({ name: '', categoryId: 3 });
 * } catch (error) {
 *   if (error instanceof BadRequestError) console.error(error.detail);
 *   else throw error;
 * }
 * ```
 */
export class BadRequestError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'BadRequestError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 400;
}
