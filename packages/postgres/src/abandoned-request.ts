import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The signal of the operator's request that is being served. It is aborted when nobody waits for the answer any more,
 * so that Postgres need not finish a search that the next key press has replaced.
 */
const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs the work of a request: the statements that read for it are canceled once its signal is aborted. */
export function runUntilAbandoned<Result>(signal: AbortSignal, work: () => Result): Result {
  return signals.run(signal, work);
}

/** The signal of the request that is being served, if there is one. */
export const currentSignal = (): AbortSignal | undefined => signals.getStore();
