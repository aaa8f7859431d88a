import { AnimalStoreError } from './animal-store-error.ts';

/**
 * No complete answer arrived: the address does not resolve, nothing listens there, or the connection
 * broke. Its `cause` is what `fetch` threw. The service may have done what was asked all the same.
 */
export class ConnectionError extends AnimalStoreError {
  override readonly name: string = 'ConnectionError';
}
