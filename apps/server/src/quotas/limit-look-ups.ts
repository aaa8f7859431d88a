import type { Allowance, QuotaDecision } from '@animal-store/quotas';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** How many lookups may fail in ten seconds for a network that has used up its allowance. */
const wrongGuesses = { points: 10, duration: 10 } as const;

export type NetworkAllowance = ReturnType<typeof limitLookUps>;

/**
 * Limits lookups of unknown tokens in the database for networks that have used up their allowance.
 *
 * An attacker can invent any number of tokens with a valid checksum, and each of them must not cost
 * a query. Only lookups that find no key are counted. Otherwise the valid keys of a network would
 * lock each other out on a replica that has just started and has cached none of them. Concurrent
 * guesses may therefore exceed the limit. They are counted afterwards, and reduce the number of
 * guesses that remain.
 */
export function limitLookUps(networks: Allowance) {
  const guesses = new RateLimiterMemory(wrongGuesses);

  return {
    ...networks,

    /**
     * Returns the decision that denies a request because its token must not be looked up in the
     * database; `undefined` if the lookup is allowed.
     */
    async denyGuess(network: string): Promise<QuotaDecision | undefined> {
      const decision = networks.peek(network);
      if (decision.outcome === 'admitted') return undefined;
      const wrong = await guesses.get(network);
      return wrong?.remainingPoints === 0 ? decision : undefined;
    },

    /** Counts a lookup that found no key, if the network has used up its allowance. */
    countWrongGuess(network: string): void {
      if (networks.peek(network).outcome === 'denied') void guesses.penalty(network);
    },
  };
}
