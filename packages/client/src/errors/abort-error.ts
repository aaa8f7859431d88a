import { AnimalStoreError } from './animal-store-error.ts';

/**
 * The caller's `signal` ended the call; its `cause` is the signal's reason. The name is the one that
 * `fetch` uses, so code that asks for `error.name === 'AbortError'` needs no change.
 */
export class AbortError extends AnimalStoreError {
  override readonly name = 'AbortError' as const;
}
