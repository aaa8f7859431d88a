import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  type RateLimiterMemory,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Clock } from '../shared/clock.ts';
import { QuotaDecision } from './quota-decision.ts';

/** At most about 3 MB. Beyond it the least recently used are dropped, and shown as unused. */
const maxKnown = 10_000;

/** How an allowance stood when this replica last heard of it. */
interface Known {
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in milliseconds, by the clock of this replica. */
  readonly endsAtMs: number;
}

export type Allowance = ReturnType<typeof createAllowance>;

/**
 * Counts what has one limit per minute and no bans: requests without a valid key, by the network they
 * come from, and requests of a key for its status.
 *
 * @param options.limiter blocks in memory what is used up: that costs Redis nothing until the window ends.
 * @param options.insurance The limiter's own insurance, or the limiter itself if all is in memory.
 * @param options.isInsured Tells whether `insurance` decides at the moment.
 * @param options.share How many requests `insurance` admits.
 */
export function createAllowance(options: {
  clock: Pick<Clock, 'now'>;
  limiter: Pick<RateLimiterAbstract, 'consume' | 'points'>;
  insurance: RateLimiterMemory;
  isInsured: () => boolean;
  share: () => number;
}) {
  const { clock, limiter, insurance, isInsured, share } = options;
  const latest = new LRUCache<string, Known>({ max: maxKnown });

  /** What is known, unless the window is over. */
  function recall(id: string, now: number): Known | undefined {
    const known = latest.get(id);
    return known !== undefined && now < known.endsAtMs ? known : undefined;
  }

  return {
    /** Decides one request, and counts it. */
    async take(id: string): Promise<QuotaDecision> {
      insurance.points = share();
      const askedAt = clock.now();
      const { isAdmitted, result } = await settle(limiter.consume(id));
      // Memory counts at once. Whatever else this process does until it goes on must not move the end.
      const now = limiter === insurance ? askedAt : clock.now();
      const limit = isInsured() ? insurance.points : limiter.points;
      const known = {
        limit,
        remaining: result.remainingPoints,
        endsAtMs: now + result.msBeforeNext,
      };
      latest.set(id, known);
      return toDecision(known, now, isAdmitted);
    },

    /**
     * How an allowance stands, as far as this replica knows. Counts nothing and asks nobody, so that it
     * can be told on every response, and an attacker can cause no work with it.
     */
    peek(id: string): QuotaDecision {
      const now = clock.now();
      const known = recall(id, now) ?? {
        limit: limiter.points,
        remaining: limiter.points,
        endsAtMs: 0,
      };
      return toDecision(known, now, known.remaining > 0);
    },
  };
}

/** The library's limiters reject with the result of a request that they do not admit. */
async function settle(consumed: Promise<RateLimiterRes>) {
  try {
    return { isAdmitted: true, result: await consumed };
  } catch (reason) {
    if (reason instanceof RateLimiterRes) return { isAdmitted: false, result: reason };
    throw reason;
  }
}

function toDecision({ limit, remaining, endsAtMs }: Known, now: number, isAdmitted: boolean) {
  const outcome = isAdmitted ? 'admitted' : 'denied';
  const minute = { used: limit - remaining, endsAtMs };
  const counts = { minute, day: { used: 0, endsAtMs: 0 } };
  return new QuotaDecision(
    { now, outcome, counts, strikes: 0, strikesEndAtMs: 0, bannedUntilMs: 0 },
    { perMinute: limit, perDay: undefined, strikeThreshold: undefined, scope: 'service' },
  );
}
