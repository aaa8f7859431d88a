import { ApiError } from './api-error.ts';

/**
 * The service, or a proxy in front of it, failed: a status from 500 to 599.
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
  /** The name of the class, which narrows the type. */
  override readonly name = 'ServerError' as const;
}
