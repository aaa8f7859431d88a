import { AnimalStoreError } from './animal-store-error.ts';

/**
 * An error for a call without a complete response: the host name does not resolve, the connection
 * was refused, or it broke. `cause` is the error of `fetch`. The service may have executed the
 * request anyway.
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
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name: 'ConnectionError' | 'TimeoutError' = 'ConnectionError';
}
