import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type Clock, systemClock } from '@animal-store/runtime';

type Callback = Parameters<LookupFunction>[2];

/**
 * How long a name server may take, if an earlier address is known. The system asks a name server
 * that does not answer for ten seconds and longer, which no connection may take.
 */
const patienceMs = 500;

/**
 * Creates a lookup of names that returns the last known addresses if a name cannot be resolved now,
 * or not soon. Otherwise a short failure of the name server would fail each request that needs a new
 * connection.
 *
 * @param lookUp resolves a name.
 * @default `dns.lookup`, as it is at the time of the call
 */
export function createRememberingLookup(
  lookUp: LookupFunction = (...args) => dns.lookup(...args),
  clock: Clock = systemClock,
): LookupFunction {
  /** The last results by name. The names are the few hosts of `DATABASE_URL`. */
  const found = new Map<string, Parameters<Callback>>();
  /**
   * The callbacks that wait for a running lookup, by name. There is one lookup of a name at a time,
   * because each one occupies one of Node's four threads until the name server answers.
   */
  const waiting = new Map<string, Set<Callback>>();

  return function lookUpOrRemember(name, options, callback) {
    const key = `${name} ${options.all ?? false} ${options.family ?? 0}`;
    const callbacks = waiting.get(key) ?? new Set();
    const remembered = found.get(key);
    const timer =
      remembered &&
      clock.after(patienceMs, () => {
        if (callbacks.delete(answer)) callback(...remembered);
      });
    function answer(...result: Parameters<Callback>) {
      clock.cancel(timer);
      callback(...result);
    }
    callbacks.add(answer);
    if (waiting.has(key)) return;
    waiting.set(key, callbacks);
    lookUp(name, options, (error, ...result) => {
      waiting.delete(key);
      if (error === null) found.set(key, [null, ...result]);
      const known = found.get(key) ?? ([error, ...result] as Parameters<Callback>);
      for (const each of callbacks) each(...known);
      callbacks.clear();
    });
  };
}
