/**
 * The base of every error that a call of the client rejects with, except a `TypeError` for an
 * argument that cannot be sent.
 */
export class AnimalStoreError extends Error {
  override readonly name: string = 'AnimalStoreError';

  // Declared here for those who compile with a library older than ES2022, which lacks it.
  /** What it comes from, where that is known. */
  declare readonly cause?: unknown;
}
