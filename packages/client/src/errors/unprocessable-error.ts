import { ApiError } from './api-error.ts';

/**
 * An error for status 422: the idempotency key was already used for a different animal.
 *
 * @example
 * ```ts
 * try {
 *   await store.createPet({ name: 'Tom', categoryId: 3 }, { idempotencyKey: 'order-7' });
 * } catch (error) {
 *   if (error instanceof UnprocessableError) console.error('this key was used for another animal');
 *   else throw error;
 * }
 * ```
 */
export class UnprocessableError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'UnprocessableError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 422;
}
