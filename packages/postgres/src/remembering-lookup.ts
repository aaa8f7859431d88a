import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Creates a lookup of names that returns the last known addresses if a name cannot be resolved now.
 * Otherwise a short failure of the name server would fail each request that needs a new connection.
 *
 * @param lookUp resolves a name.
 * @default `dns.lookup`, as it is at the time of the call
 */
export function createRememberingLookup(
  lookUp: LookupFunction = (...args) => dns.lookup(...args),
): LookupFunction {
  /** The last results by name. The names are the few hosts of `DATABASE_URL`. */
  const found = new Map<string, Parameters<Parameters<LookupFunction>[2]>>();
  return function lookUpOrRemember(name, options, callback) {
    const key = `${name} ${options.all ?? false} ${options.family ?? 0}`;
    lookUp(name, options, (error, ...answer) => {
      const remembered = found.get(key);
      if (error === null) found.set(key, [null, ...answer]);
      else if (remembered !== undefined) return callback(...remembered);
      callback(error, ...answer);
    });
  };
}
