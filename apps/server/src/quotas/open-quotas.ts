import { type BanPolicy, rateLimitStatusPerMinute } from '@animal-store/contract';
import type { Clock } from '@animal-store/runtime';
import { StartupError } from '@animal-store/runtime';
import type { Timings } from '../shared/timings.ts';
import { type Allowance, createAllowance, type SharedStore } from './allowance.ts';
import { createKeyQuotas, type KeyQuotas, type OnBan, subjectOf } from './key-quotas.ts';
import { limitLookUps, type NetworkAllowance } from './limit-look-ups.ts';
import { MemoryKeyLimiter } from './memory-key-limiter.ts';
import { openRedis, untilReady, watchForRefusal } from './open-redis.ts';
import { RedisKeyLimiter } from './redis-key-limiter.ts';
import { createRedisKeyState } from './redis-key-state.ts';
import {
  type BreakerState,
  createCircuitBreaker,
  createRedisProbe,
  watchForReason,
} from './without-redis.ts';

// How many requests a caller may make. Where to look:
//
// - the rule, pure: `quota-rule.ts`; what a caller is told of a decision: `quota-decision.ts`
// - the store in memory: `memory-key-limiter.ts`
// - the store in Redis: `redis-key-limiter.ts` asks `decide.lua`, which says the rule again, in the words of
//   `decide-call.ts`; `redis-format.ts` describes what is stored
// - what operators change: an unban or a credit begins in `keys/key-management.ts`; `redis-key-state.ts` ends and
//   moves bans in Redis, and empties windows
// - without Redis: `without-redis.ts`
// - networks, pages, and requests for the status: `allowance.ts`
//
// Networks, pages and status have one window: limiters of rate-limiter-flexible decide. For keys the library
// decides nothing. It has neither two windows that count a request in both or in none, nor accounts, nor bans,
// and one limiter for each would be several round trips. So the limiters of keys have the library's form,
// which gives them the insurance, and the decision is `decide.lua`'s or, in memory, `decide`'s.

/**
 * How many pages of the reference a network may read for each request without a key: an office reads behind
 * one address.
 */
const pagesPerRequest = 10;

export interface OpenQuotasOptions {
  readonly clock: Clock;
  /** In tests, what tells the time that Redis decides requests of keys by; otherwise its own. */
  readonly quotaClock?: Clock | undefined;
  /** Where Redis is: none for quotas in memory, several for a Cluster. */
  readonly redisUrls: readonly string[];
  /** How long a decision of Redis may take. */
  readonly redisTimeoutMs: number;
  readonly timings: Timings['quotas'];
  /** How many replicas share each quota while Redis is away. Asked for each decision. */
  readonly replicas: () => number;
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
  /** Called once whenever Redis stops or resumes deciding. */
  readonly onBreaker: (state: BreakerState, reason: unknown) => void;
  readonly onBan: OnBan;
}

/**
 * The limiters of one replica. Replicas on the same Redis decide as one.
 */
export interface Quotas {
  readonly keys: KeyQuotas;
  /** Requests without a valid key. */
  readonly networks: NetworkAllowance;
  /** Requests outside of the versioned API, such as for the reference, by network. */
  readonly pages: Pick<Allowance, 'take'>;
  readonly statusRequests: Pick<Allowance, 'take'>;
  close(): void;
}

/**
 * Opens the quotas. They open even if Redis is away.
 *
 * @throws {StartupError} if Redis is there, and refuses the database, the user or the password.
 */
export async function openQuotas(options: OpenQuotasOptions): Promise<Quotas> {
  const { redisUrls, redisTimeoutMs, timings, onBreaker, replicas } = options;
  const { connectTimeoutMs, firstConnectionTimeoutMs, probeEveryMs } = timings;
  if (redisUrls.length === 0) {
    return { keys: createMemoryKeyQuotas(options), ...createAllowances(options), close() {} };
  }

  const redis = openRedis(redisUrls, connectTimeoutMs);
  const reasonOf = watchForReason(redis);
  const refusalOf = watchForRefusal(redis);
  const probe = createRedisProbe(redis, { timeoutMs: redisTimeoutMs, connectTimeoutMs });
  const breaker = createCircuitBreaker({
    timeoutMs: redisTimeoutMs,
    probeEveryMs,
    probe,
    onChange(state, reason) {
      onBreaker(state, reasonOf(reason));
    },
  });
  const insurance = new MemoryKeyLimiter({ ...options, scope: 'replica' });
  const limiter = new RedisKeyLimiter({ ...options, redis, breaker, insurance });
  const state = createRedisKeyState({ redis, breaker, insurance });

  await untilReady(redis, { ms: firstConnectionTimeoutMs });
  const refusal = refusalOf();
  if (refusal !== undefined) {
    breaker.close();
    redis.disconnect();
    throw new StartupError(refusal);
  }
  // A first command, so that whatever is wrong with Redis is logged now and not at the first request.
  await breaker.run(probe).catch(() => {});

  return {
    keys: createKeyQuotas(limiter, state),
    ...createAllowances(options, { redis, breaker, replicas }),
    close() {
      breaker.close();
      redis.disconnect();
    },
  };
}

/** Creates the quotas of keys of a service with one replica, in its memory. */
export function createMemoryKeyQuotas(
  options: Pick<OpenQuotasOptions, 'clock' | 'banPolicy'> & { onBan?: OnBan },
): KeyQuotas {
  const { clock, banPolicy, onBan } = options;
  const alone = { replicas: () => 1, scope: 'service' } as const;
  const limiter = new MemoryKeyLimiter({ clock, banPolicy, onBan, ...alone });
  return createKeyQuotas(limiter, {
    unban: async ({ id }) => limiter.unban(id),
    credit: async (key) => limiter.empty(subjectOf(key)),
    // Bans are kept by key here, whatever its subject is.
    moveBan: async () => {},
  });
}

function createAllowances(
  { clock, addressPerMinute }: Pick<OpenQuotasOptions, 'clock' | 'addressPerMinute'>,
  shared?: SharedStore,
) {
  const ofNetwork = { clock, perMinute: addressPerMinute };
  const ofPages = { clock, perMinute: addressPerMinute * pagesPerRequest };
  const ofStatus = { clock, perMinute: rateLimitStatusPerMinute };
  return {
    networks: limitLookUps(createAllowance('network', ofNetwork, shared)),
    pages: createAllowance('pages', ofPages, shared),
    statusRequests: createAllowance('rate-limit-status', ofStatus, shared),
  };
}
