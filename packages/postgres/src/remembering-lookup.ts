import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Creates a look-up of names that gives the address which was found last if a name cannot be resolved now. A name
 * server that fails for a moment would otherwise fail each request that needs a new connection.
 *
 * @param lookUp resolves a name. @default `dns.lookup`, as it is at the time of the call
 */
export function createRememberingLookup(
  lookUp: LookupFunction = (...args) => dns.lookup(...args),
): LookupFunction {
  /** What was found last, by name. The names are the few hosts of `DATABASE_URL`. */
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
