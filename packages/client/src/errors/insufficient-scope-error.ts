import { ApiError } from './api-error.ts';

/**
 * An error for status 403: the API key is valid, but does not have the scope that `detail` names.
 * Use another key, or ask the operator of the service for the scope.
 *
 * @example
 * ```ts
 * try {
 *   await store.createPet({ name: 'Mia', categoryId: 3 });
 * } catch (error) {
 *   if (error instanceof InsufficientScopeError) console.error('this key only reads');
 *   else throw error;
 * }
 * ```
 */
export class InsufficientScopeError extends ApiError {
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'InsufficientScopeError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 403;

  /** The machine-readable error code of the service. */
  declare readonly code: 'insufficient_scope';
}
