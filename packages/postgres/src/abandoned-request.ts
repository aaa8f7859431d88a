import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The signal of the operator's request that this call serves. It is aborted when nobody waits for
 * the response any more, so that Postgres can stop a search that the next key press has replaced.
 */
const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs the work of a request. Its read statements are canceled once the signal is aborted. */
export function runUntilAbandoned<Result>(signal: AbortSignal, work: () => Result): Result {
  return signals.run(signal, work);
}

/** Returns the signal of the request that this call serves, if there is one. */
export const currentSignal = (): AbortSignal | undefined => signals.getStore();
