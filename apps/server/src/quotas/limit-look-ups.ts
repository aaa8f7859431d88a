import type { Allowance, QuotaDecision } from '@animal-store/quotas';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** How many look-ups may find no key in ten seconds, from a network that has used up its allowance. */
const wrongGuesses = { points: 10, duration: 10 } as const;

export type NetworkAllowance = ReturnType<typeof limitLookUps>;

/**
 * Limits look-ups of unknown tokens in the database, of networks that have used up their allowance.
 *
 * An attacker can make up any number of tokens with a valid checksum; they must not cost a query each.
 * Only look-ups that find no key are counted. Otherwise the valid keys of a network, of which a replica
 * that has just started knows none, would lock each other out. The price: guesses that are in flight at
 * once may exceed the number. They count then, so that so many fewer are left.
 */
export function limitLookUps(networks: Allowance) {
  const guesses = new RateLimiterMemory(wrongGuesses);

  return {
    ...networks,

    /**
     * The decision that denies a request whose token would have to be looked up in the database, or `undefined` if
     * it may be.
     */
    async denyGuess(network: string): Promise<QuotaDecision | undefined> {
      const decision = networks.peek(network);
      if (decision.outcome === 'admitted') return undefined;
      const wrong = await guesses.get(network);
      return wrong?.remainingPoints === 0 ? decision : undefined;
    },

    /** Counts a look-up that found no key, if the network has used up its allowance. */
    countWrongGuess(network: string): void {
      if (networks.peek(network).outcome === 'denied') void guesses.penalty(network);
    },
  };
}
