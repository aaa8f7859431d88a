import { LRUCache } from 'lru-cache';
import type { Clock } from '../shared/clock.ts';
import type { Allowance } from './allowance.ts';
import type { QuotaDecision } from './quota-decision.ts';

/** How many look-ups may find no key at once. One more may each second. */
const spareAtOnce = 10;

/** After a minute the window that was used up is over, and so are its look-ups. */
const spareForMs = 60_000;

/** At most about 1 MB. Beyond it the least recently used have all of their look-ups again. */
const maxNetworks = 10_000;

export type NetworkAllowance = ReturnType<typeof withSpareLookUps>;

/**
 * Leaves networks that have used up their allowance a few look-ups of unknown tokens in the database.
 *
 * An attacker can make up any number of tokens with a valid checksum; they must not cost a query each.
 * Only look-ups that find no key are counted. Otherwise the valid keys of a network, of which a replica
 * that has just started knows none, would lock each other out. The price: guesses that are in flight at
 * once may exceed the number. They count then, so that so many fewer are left.
 */
export function withSpareLookUps(networks: Allowance, clock: Pick<Clock, 'elapsed'>) {
  const wasted = new LRUCache<string, { count: number; readonly sinceMs: number }>({
    max: maxNetworks,
  });

  function wastedBy(network: string) {
    const now = clock.elapsed();
    let waste = wasted.get(network);
    if (waste === undefined || now - waste.sinceMs >= spareForMs) {
      waste = { count: 0, sinceMs: now };
      wasted.set(network, waste);
    }
    return waste;
  }

  function hasSpare(network: string): boolean {
    const { count, sinceMs } = wastedBy(network);
    return count < spareAtOnce + (clock.elapsed() - sinceMs) / 1_000;
  }

  return {
    ...networks,

    /**
     * The decision that denies a request whose token would have to be looked up in the database, or `undefined` if
     * it may be.
     */
    denyGuess(network: string): QuotaDecision | undefined {
      const decision = networks.peek(network);
      return decision.outcome === 'admitted' || hasSpare(network) ? undefined : decision;
    },

    /** Counts a look-up that found no key, if the network has used up its allowance. */
    countWrongGuess(network: string): void {
      if (networks.peek(network).outcome === 'denied') wastedBy(network).count += 1;
    },
  };
}
