import { AnimalStoreError } from './animal-store-error.ts';

/**
 * No complete answer arrived: the address does not resolve, nothing listens there, or the connection
 * broke. `cause` is what `fetch` threw. The service may have done what was asked.
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
