import { ApiError } from './api-error.ts';

/**
 * The idempotency key was used before, for a different animal.
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
  /** The name of the class, which narrows the type. */
  override readonly name = 'UnprocessableError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 422;
}
