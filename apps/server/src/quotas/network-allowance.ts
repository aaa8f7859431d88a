import type { Allowance, QuotaDecision } from '@animal-store/quotas';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/**
 * The number of token lookups that may fail in ten seconds for a network that has used up its
 * quota.
 */
const wrongGuesses = { points: 10, duration: 10 } as const;

export type NetworkAllowance = ReturnType<typeof createNetworkAllowance>;

/**
 * Limits how many unknown tokens are looked up in the database for a network that has used up its
 * quota. An attacker can invent any number of tokens with a valid checksum. The service must not
 * query the database for each of them.
 *
 * Only lookups that find no API key are counted. A replica that has just started has an empty
 * cache. If all lookups counted, it would at first refuse most valid API keys of such a network.
 *
 * A lookup is counted after it has failed, so concurrent guesses may exceed the limit. The excess
 * lookups are also counted, and the network may guess again only later.
 */
export function createNetworkAllowance(networks: Allowance) {
  const guesses = new RateLimiterMemory(wrongGuesses);

  return {
    ...networks,

    /**
     * Returns the quota decision that denies a request, if its token must not be looked up in the
     * database. Returns `undefined` if the lookup is allowed.
     */
    async denyGuess(network: string): Promise<QuotaDecision | undefined> {
      const decision = networks.peek(network);
      if (decision.outcome === 'admitted') return undefined;
      const wrong = await guesses.get(network);
      return wrong?.remainingPoints === 0 ? decision : undefined;
    },

    /** Counts a lookup that found no API key, if the network has used up its quota. */
    countWrongGuess(network: string): void {
      if (networks.peek(network).outcome === 'denied') void guesses.penalty(network);
    },
  };
}
