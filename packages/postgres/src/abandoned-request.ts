import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The signal of the operator's request that the current code serves. The signal aborts when the
 * caller has closed the connection. Postgres can then cancel a search, for example when the
 * operator has already typed the next letter.
 */
const signals = new AsyncLocalStorage<AbortSignal>();

/**
 * Runs the work of a request that only reads. When the signal aborts, the statements of this work
 * are canceled in Postgres, after a short delay (`cancelAfterMs`). After the abort, the work sends
 * no further statements.
 */
export function runUntilAbandoned<Result>(signal: AbortSignal, work: () => Result): Result {
  return signals.run(signal, work);
}

/**
 * Runs work whose result several requests share. Its statements are sent, and are not canceled, even
 * if the client of the request that started the work has disconnected.
 */
export function runForAll<Result>(work: () => Result): Result {
  return signals.exit(work);
}

/**
 * Returns the signal of the request that the current code serves, or `undefined` if there is none.
 */
export const currentSignal = (): AbortSignal | undefined => signals.getStore();
