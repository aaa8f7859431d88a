import { ApiError } from './api-error.ts';

/**
 * An error for status 409: another request with the same idempotency key is still in progress.
 *
 * @example
 * ```ts
 * try {
 *   await store.createPet({ name: 'Mia', categoryId: 3 }, { idempotencyKey: 'order-7' });
 * } catch (error) {
 *   if (error instanceof ConflictError) console.error('still running');
 *   else throw error;
 * }
 * ```
 */
export class ConflictError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'ConflictError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 409;
}
