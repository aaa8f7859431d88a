import { type BanPolicy, rateLimitStatusPerMinute, windowSeconds } from '@animal-store/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { OnBan } from './ban-rule.ts';
import { type BreakerState, createCircuitBreaker } from './circuit-breaker.ts';
import { MemoryKeyLimiter } from './memory-key-limiter.ts';
import { createNetworkQuota, type NetworkQuota } from './network-quota.ts';
import { openRedis, untilReady } from './open-redis.ts';
import { RedisKeyLimiter } from './redis-key-limiter.ts';
import { RedisNetworkLimiter } from './redis-network-limiter.ts';
import { createRedisProbe } from './redis-probe.ts';

/** How long a start waits for Redis before it continues without it, in milliseconds. */
const firstConnectionTimeoutMs = 1_000;

export interface QuotaOptions {
  /** Where Redis is: none for quotas in memory, several for a Cluster. */
  readonly redisUrls: readonly string[];
  /** How long a decision of Redis may take. */
  readonly redisTimeoutMs: number;
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
 *
 * A request of a key is admitted only if the minute and the day both have room; then it costs one
 * in both. A denied request costs nothing in either. Windows are fixed: the first request opens one,
 * and its end does not move until it is reached.
 */
export interface Quotas {
  readonly keys: Pick<MemoryKeyLimiter, 'consume' | 'get' | 'unban' | 'forgetBan'>;
  /** Requests without a valid key. */
  readonly networks: NetworkQuota;
  /** Requests for the status of a key, which have an allowance of their own. */
  readonly statusRequests: Pick<NetworkQuota, 'take'>;
  close(): void;
}

/** Opens the quotas. They open even if Redis is away. */
export async function openQuotas(options: QuotaOptions): Promise<Quotas> {
  const { redisUrls, redisTimeoutMs, addressPerMinute, banPolicy, onBreaker, onBan } = options;
  if (redisUrls.length === 0) {
    const limiter = minuteLimiter(addressPerMinute);
    const statusLimiter = minuteLimiter(rateLimitStatusPerMinute);
    return {
      keys: new MemoryKeyLimiter({ banPolicy, onBan, scope: 'service' }),
      networks: createNetworkQuota({ limiter, insurance: limiter }),
      statusRequests: createNetworkQuota({ limiter: statusLimiter, insurance: statusLimiter }),
      close() {},
    };
  }

  const { replicas } = options;
  const redis = openRedis(redisUrls);
  const probe = createRedisProbe(redis, redisTimeoutMs);
  const breaker = createCircuitBreaker({
    timeoutMs: redisTimeoutMs,
    probe,
    onChange(state, reason) {
      onBreaker(state, reason);
      if (state === 'closed') keys.repeatMissedUnbans();
    },
  });
  const keys = new RedisKeyLimiter({
    redis,
    breaker,
    insurance: new MemoryKeyLimiter({ banPolicy, onBan, replicas, scope: 'replica' }),
    banPolicy,
    onBan,
  });
  /** Its insurance is this replica's share. */
  const createMinuteQuota = (perMinute: number, keyPrefix?: string) => {
    const share = () => Math.ceil(perMinute / replicas());
    const insurance = minuteLimiter(perMinute);
    const limiter = new RedisNetworkLimiter({ redis, breaker, insurance, perMinute, keyPrefix });
    return createNetworkQuota({ limiter, insurance, share });
  };

  await untilReady(redis, firstConnectionTimeoutMs);
  // A first command, so that whatever is wrong with Redis is logged now and not at the first request.
  await breaker.run(probe).catch(() => {});

  return {
    keys,
    networks: createMinuteQuota(addressPerMinute),
    statusRequests: createMinuteQuota(rateLimitStatusPerMinute, 'animal-store:rate-limit-status'),
    close() {
      breaker.close();
      redis.disconnect();
    },
  };
}

function minuteLimiter(perMinute: number): RateLimiterMemory {
  return new RateLimiterMemory({ points: perMinute, duration: windowSeconds.minute });
}
