import { LRUCache } from 'lru-cache';
import { type RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { QuotaResult } from './quota-result.ts';
import { type RedisNetworkLimiter, RedisNetworkRes } from './redis-network-limiter.ts';

/**
 * How many unknown tokens a network that has used up its quota may have looked up: so many at once, and
 * one more each second.
 */
const spareLookUps = 10;

/** At most about 5 MB. Beyond it the least recently used are forgotten, and the limiter is asked again. */
const maxNetworks = 10_000;

/** A network's count, and the limiter's clock when it was read. */
interface NetworkCount {
  readonly used: number;
  readonly limit: number;
  /** Unix time in milliseconds. */
  readonly endsAtMs: number;
  readonly now: number;
}

/** What the limiter last said about a network, and when, in milliseconds of a monotonic clock. */
interface Remembered extends NetworkCount {
  /** It decided at some instant between these two. */
  readonly askedAt: number;
  readonly heardAt: number;
  /** The look-ups of unknown tokens that were allowed since then. */
  readonly lookUps: { allowed: number };
}

export type NetworkQuota = ReturnType<typeof createNetworkQuota>;

/**
 * Limits requests without a valid key, by the network they come from.
 *
 * A replica remembers what it last heard about each network. Once a network has used up its quota,
 * its requests cost neither Redis nor the database anything until the window ends.
 *
 * @param options.insurance The memory limiter that decides while Redis is away, or always.
 * @param options.share How many requests `insurance` admits, if that changes.
 * @param options.clock A monotonic clock, in milliseconds.
 */
export function createNetworkQuota(options: {
  limiter: RedisNetworkLimiter | RateLimiterMemory;
  insurance: RateLimiterMemory;
  share?: () => number;
  clock?: () => number;
}) {
  const { limiter, insurance, share, clock = () => performance.now() } = options;
  const remembered = new LRUCache<string, Remembered>({ max: maxNetworks });

  /** What the limiter would say now, unless the window may be over. */
  function recall(network: string): Remembered | undefined {
    const last = remembered.get(network);
    if (last === undefined) return undefined;
    const present = clock();
    if (last.now + present - last.askedAt >= last.endsAtMs) return undefined;
    // Counted from the latest instant, so that the reported wait is never too short.
    return { ...last, now: last.now + present - last.heardAt };
  }

  /** What is remembered of a network that has used up its quota. */
  function usedUp(network: string): Remembered | undefined {
    const known = recall(network);
    return known !== undefined && known.used >= known.limit ? known : undefined;
  }

  return {
    /** Decides one request, and counts it. */
    async take(network: string): Promise<QuotaResult> {
      const known = usedUp(network);
      if (known !== undefined) return toResult(known, 'denied');

      if (share !== undefined) insurance.points = share();
      const askedAt = clock();
      // The library reads the clock itself. Read after it, a window would seem longer than it is.
      const replicaNow = Date.now();
      const res = await limiter.consume(network).catch((reason: unknown) => {
        if (reason instanceof RateLimiterRes) return reason;
        throw reason;
      });
      const isShared = res instanceof RedisNetworkRes;
      const now = isShared ? res.now : replicaNow;
      const count = {
        used: res.consumedPoints,
        limit: isShared ? limiter.points : insurance.points,
        endsAtMs: now + res.msBeforeNext,
        now,
      };
      // Several requests may be in flight when the quota runs out. Only the first answer that says so
      // is remembered: the others would each allow spare look-ups again.
      if (usedUp(network) === undefined) {
        remembered.set(network, { ...count, askedAt, heardAt: clock(), lookUps: { allowed: 0 } });
      }
      return toResult(count, count.used <= count.limit ? 'admitted' : 'denied');
    },

    /**
     * The 429 for a request whose token would have to be looked up in the database, or `undefined` if
     * it may be. An attacker can make up any number of tokens with a valid checksum; they must not cost
     * a query each. A few look-ups remain allowed for valid keys that this replica has not seen yet:
     * otherwise anybody in their network could lock them out.
     */
    refuseLookUp(network: string): QuotaResult | undefined {
      const known = usedUp(network);
      if (known === undefined) return undefined;
      const { lookUps, heardAt } = known;
      if (lookUps.allowed >= spareLookUps + (clock() - heardAt) / 1_000) {
        return toResult(known, 'denied');
      }
      lookUps.allowed += 1;
      return undefined;
    },

    /**
     * How a network stands, as far as this replica knows. Counts nothing and asks nobody, so that it
     * can be told on every response, and an attacker can cause no work with it.
     */
    peek(network: string): QuotaResult {
      const unused = { used: 0, limit: limiter.points, endsAtMs: 0, now: Date.now() };
      const count = recall(network) ?? unused;
      return toResult(count, count.used < count.limit ? 'admitted' : 'denied');
    },
  };
}

function toResult(
  { used, limit, endsAtMs, now }: NetworkCount,
  outcome: 'admitted' | 'denied',
): QuotaResult {
  const notOpen = { used: 0, endsAtMs: 0 };
  return new QuotaResult(
    { now, outcome, minute: { used, endsAtMs }, day: notOpen, strikes: 0, bannedUntilMs: 0 },
    { perMinute: limit, perDay: undefined, strikeThreshold: undefined, scope: 'service' },
  );
}
