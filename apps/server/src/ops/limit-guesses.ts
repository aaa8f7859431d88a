import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Actor } from '../operators/operator-lookup.ts';
import { type Clock, sleep } from '../shared/clock.ts';

/** Wrong tokens that one network may send per minute. */
const guessesPerMinute = { points: 10, duration: 60 } as const;

/** How many tokens are known to have been valid: far more than there are operators. */
const maxKnown = 1_000;

/** Who sent a token. */
export interface Identified {
  readonly actor?: Actor | undefined;
  /** How long the network has to wait before it may guess again, if it has guessed too often. */
  readonly waitMs?: number | undefined;
}

/**
 * Bounds the look-ups of wrong tokens: an attacker can make up any number with a valid checksum. Of a
 * network that has sent too many, only tokens are looked up whose hash is among those of all valid ones,
 * and these are read once a second for all who wait.
 *
 * So a valid token passes, whatever its network has sent: otherwise anybody could lock operators out,
 * and a leaked key could not be revoked meanwhile. It does not wait if this replica knows it already.
 */
export function createGuessLimit(options: {
  clock: Clock;
  /** How often the hashes of all valid tokens are read while there are too many guesses. */
  readHashesMs: number;
  readHashes: () => Promise<ReadonlySet<string>>;
}) {
  const { clock, readHashesMs, readHashes } = options;
  const guesses = new RateLimiterMemory(guessesPerMinute);
  /** Hashes of tokens that were valid when they were last looked up. A revocation holds all the same. */
  const known = new LRUCache<string, true>({ max: maxKnown });
  /** What is read next. Who asks meanwhile gets the same: it is read later than they ask. */
  let next: Promise<ReadonlySet<string>> | undefined;

  function readNext(): Promise<ReadonlySet<string>> {
    next ??= sleep(readHashesMs, clock).then(() => {
      next = undefined;
      return readHashes();
    });
    return next;
  }

  /** Takes one of the guesses of a network, or gives the milliseconds until there is one. */
  async function take(network: string): Promise<number | undefined> {
    try {
      await guesses.consume(network);
      return undefined;
    } catch (reason) {
      if (reason instanceof RateLimiterRes) return reason.msBeforeNext;
      throw reason;
    }
  }

  return {
    /** Counts what has not even the form of a token. */
    count: async (network: string): Promise<Identified> => ({ waitMs: await take(network) }),

    /**
     * Looks a token up, if it may be valid.
     *
     * @param token.hashes by which it may be stored.
     */
    async find(
      network: string,
      token: { hashes: readonly string[]; lookUp: () => Promise<Actor | undefined> },
    ): Promise<Identified> {
      const { hashes, lookUp } = token;
      const [name = ''] = hashes;
      if (known.has(name)) {
        const actor = await lookUp();
        if (actor !== undefined) return { actor };
        // Once it was valid, so nobody guessed it: it has expired or was revoked. Whoever sends it must
        // learn that, and not that their network has guessed too often. From now on it is a guess.
        known.delete(name);
        return {};
      }
      const waitMs = await take(network);
      if (waitMs !== undefined) {
        const valid = await readNext();
        if (!hashes.some((hash) => valid.has(hash))) return { waitMs };
      }
      const actor = await lookUp();
      if (actor === undefined) return { waitMs };
      known.set(name, true);
      await guesses.reward(network);
      return { actor };
    },
  };
}
