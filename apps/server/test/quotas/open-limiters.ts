import type { BanPolicy } from '@animal-store/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { OnBan } from '../../src/quotas/ban-rule.ts';
import { createCircuitBreaker } from '../../src/quotas/circuit-breaker.ts';
import { MemoryKeyLimiter } from '../../src/quotas/memory-key-limiter.ts';
import { createNetworkQuota } from '../../src/quotas/network-quota.ts';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import type { RedisConnection } from '../../src/quotas/open-redis.ts';
import { RedisKeyLimiter } from '../../src/quotas/redis-key-limiter.ts';
import { RedisNetworkLimiter } from '../../src/quotas/redis-network-limiter.ts';

export interface LimiterOptions {
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
  readonly onBan?: OnBan;
}

/** Quotas in memory, as the embedded server opens them. */
export function createMemoryQuotas({ addressPerMinute, banPolicy, onBan }: LimiterOptions): Quotas {
  const limiter = new RateLimiterMemory({ points: addressPerMinute, duration: 60 });
  return {
    keys: new MemoryKeyLimiter({ banPolicy, onBan, scope: 'service' }),
    networks: createNetworkQuota({ limiter, insurance: limiter }),
    statusRequests: createNetworkQuota({ limiter, insurance: limiter }),
    close() {},
  };
}

/**
 * Quotas in Redis. A failure of Redis fails the test: nothing decides in its place.
 *
 * @param options.now the time to decide by.
 */
export function createRedisQuotas(
  options: LimiterOptions & { redis: RedisConnection; now: () => number },
): Quotas {
  const { redis, now, addressPerMinute, banPolicy, onBan } = options;
  const breaker = createCircuitBreaker({
    timeoutMs: 60_000,
    probe: () => redis.ping(),
    onChange(state, reason) {
      if (state === 'open') throw reason;
    },
  });
  const insurance = new RateLimiterMemory({ points: addressPerMinute, duration: 60 });
  const networks = createNetworkQuota({
    limiter: new RedisNetworkLimiter({
      redis,
      breaker,
      insurance,
      perMinute: addressPerMinute,
      now,
    }),
    insurance,
    clock: now,
  });
  return {
    keys: new RedisKeyLimiter({
      redis,
      breaker,
      insurance: new MemoryKeyLimiter({ banPolicy, scope: 'replica' }),
      banPolicy,
      onBan,
      now,
    }),
    networks,
    statusRequests: networks,
    close: () => breaker.close(),
  };
}
