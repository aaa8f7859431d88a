import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type Clock, systemClock } from '@animal-store/runtime';

type Callback = Parameters<LookupFunction>[2];

/**
 * How long a lookup may take if an earlier address of the name is known. If a name server does not
 * respond, the operating system waits for ten seconds or longer. A new connection cannot wait so
 * long.
 */
const patienceMs = 500;

/**
 * Creates a lookup of host names. If resolving a name fails or takes too long, the lookup returns
 * the last known addresses. Otherwise, each request that needs a new connection would fail while
 * the name server is down.
 *
 * @param lookUp resolves a name.
 * @default `dns.lookup`, as it is at the time of the call
 */
export function createCachedLookup(
  lookUp: LookupFunction = (...args) => dns.lookup(...args),
  clock: Clock = systemClock,
): LookupFunction {
  /**
   * The last result for each name. The map needs no limit, because only the few host names of
   * `DATABASE_URL` are looked up.
   */
  const found = new Map<string, Parameters<Callback>>();
  /**
   * The callbacks that wait for a running lookup, by name. Only one lookup of a name runs at a
   * time, because each lookup occupies one of Node's four threads until the name server responds.
   */
  const waiting = new Map<string, Set<Callback>>();

  return function lookUpOrUseCache(name, options, callback) {
    const key = `${name} ${options.all ?? false} ${options.family ?? 0}`;
    const callbacks = waiting.get(key) ?? new Set();
    const cached = found.get(key);
    const timer =
      cached &&
      clock.after(patienceMs, () => {
        if (callbacks.delete(answer)) callback(...cached);
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
