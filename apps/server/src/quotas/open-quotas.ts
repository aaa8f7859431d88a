import { type BanPolicy, rateLimitStatusPerMinute } from '@animal-store/contract';
import type { Clock } from '@animal-store/runtime';
import { StartupError } from '@animal-store/runtime';
import type { Timings } from '../shared/timings.ts';
import { type Allowance, createAllowance, type SharedStore } from './allowance.ts';
import { createKeyQuotas, type KeyQuotas, type OnBan } from './key-quotas.ts';
import { limitLookUps, type NetworkAllowance } from './limit-look-ups.ts';
import { createMemoryStore } from './memory-store.ts';
import { openRedis, untilReady, watchForRefusal } from './open-redis.ts';
import { createRedisStore } from './redis-store.ts';
import {
  type BreakerState,
  createCircuitBreaker,
  createRedisProbe,
  watchForReason,
} from './without-redis.ts';

// How many requests a caller may make. Where to look:
//
// - the rule, pure: `decide.ts`; what a caller is told of a decision: `quota-decision.ts`
// - the store in memory: `memory-store.ts`
// - the store in Redis: `redis-store.ts` asks `decide.lua`, which says the rule again, in the words of
//   `decide-call.ts`; `redis-format.ts` describes what is stored
// - without Redis: `without-redis.ts`; `key-quotas.ts` asks the memory then
// - networks, pages, and requests for the status: `allowance.ts`
//
// Networks, pages and status have one window: limiters of rate-limiter-flexible decide. The library has neither two
// windows that count a request in both or in none, nor accounts, nor bans, and one limiter for each would be several
// round trips. So `decide.lua` decides for keys, or `decide` in memory, and their decision is a result of the library.

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
  const refused = watchForRefusal(redis);
  const probe = createRedisProbe(redis, { timeoutMs: redisTimeoutMs, connectTimeoutMs });
  const breaker = createCircuitBreaker({
    timeoutMs: redisTimeoutMs,
    probeEveryMs,
    probe,
    onChange(state, reason) {
      onBreaker(state, reasonOf(reason));
    },
  });
  const keys = createKeyQuotas({
    redis: createRedisStore({ ...options, redis, breaker }),
    memory: createMemoryStore({ ...options, scope: 'replica' }),
  });

  await Promise.race([untilReady(redis, { ms: firstConnectionTimeoutMs }), refused.first]);
  const refusal = refused.sentence();
  if (refusal !== undefined) {
    breaker.close();
    redis.disconnect();
    throw new StartupError(refusal);
  }
  // A first command, so that whatever is wrong with Redis is logged now and not at the first request.
  await breaker.run(probe).catch(() => {});

  return {
    keys,
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
  return createKeyQuotas({ memory: createMemoryStore({ clock, banPolicy, onBan, ...alone }) });
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
