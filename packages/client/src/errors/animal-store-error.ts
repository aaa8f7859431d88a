/**
 * The base of every error that a call of the client rejects with, except a `TypeError` for an
 * argument that cannot be sent.
 */
export class AnimalStoreError extends Error {
  override readonly name: string = 'AnimalStoreError';
}
