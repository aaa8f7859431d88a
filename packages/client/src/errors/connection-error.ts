import { AnimalStoreError } from './animal-store-error.ts';

/**
 * No complete response arrived: the address does not resolve, nothing listens there, or the
 * connection broke. `cause` is the error of `fetch`. The service may have executed the request.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets();
 * } catch (error) {
 *   if (error instanceof ConnectionError) console.error('no answer:', error.cause);
 *   else throw error;
 * }
 * ```
 */
export class ConnectionError extends AnimalStoreError {
  /** The name of the class, which narrows the type. */
  override readonly name: 'ConnectionError' | 'TimeoutError' = 'ConnectionError';
}
