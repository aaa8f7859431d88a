import { LRUCache } from 'lru-cache';
import type { Allowance } from './allowance.ts';
import type { QuotaDecision } from './quota-decision.ts';

/** How many look-ups are spare at once. One more is each second. */
const spareAtOnce = 10;

/** After a minute the window that was used up is over, and what it had spare as well. */
const spareForMs = 60_000;

/** At most about 1 MB. Beyond it the least recently used have all of their look-ups again. */
const maxNetworks = 10_000;

export type NetworkAllowance = ReturnType<typeof withSpareLookUps>;

/**
 * Leaves networks that have used up their allowance a few look-ups of unknown tokens in the database.
 *
 * An attacker can make up any number of tokens with a valid checksum; they must not cost a query each.
 * A few look-ups remain for valid keys that this replica has not seen yet: otherwise anybody in their
 * network could lock them out.
 *
 * @param clock A monotonic clock, in milliseconds.
 */
export function withSpareLookUps(networks: Allowance, clock = () => performance.now()) {
  const spent = new LRUCache<string, { count: number; readonly sinceMs: number }>({
    max: maxNetworks,
  });

  /** Takes one look-up of a network. Returns whether there was one. */
  function takeSpare(network: string): boolean {
    const now = clock();
    let spare = spent.get(network);
    if (spare === undefined || now - spare.sinceMs >= spareForMs) {
      spare = { count: 0, sinceMs: now };
      spent.set(network, spare);
    }
    if (spare.count >= spareAtOnce + (now - spare.sinceMs) / 1_000) return false;
    spare.count += 1;
    return true;
  }

  return {
    ...networks,

    /**
     * The decision that denies a request whose token would have to be looked up in the database, or `undefined` if
     * it may be.
     */
    refuseLookUp(network: string): QuotaDecision | undefined {
      const decision = networks.peek(network);
      if (decision.outcome === 'admitted' || takeSpare(network)) return undefined;
      return decision;
    },
  };
}
