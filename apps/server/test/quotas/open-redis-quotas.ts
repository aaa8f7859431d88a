import { createCircuitBreaker } from '../../src/quotas/circuit-breaker.ts';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { createRedisQuotas, type RedisQuotasOptions } from '../../src/quotas/redis-quotas.ts';

/**
 * Quotas in Redis. A failure of Redis fails the test: nothing decides in its place.
 *
 * @param options.now the time to decide by.
 */
export function openRedisQuotas(
  options: Omit<RedisQuotasOptions, 'breaker' | 'replicas'> & { now: () => number },
): Quotas {
  const breaker = createCircuitBreaker({
    timeoutMs: 60_000,
    probe: () => options.redis.ping(),
    onChange(state, reason) {
      if (state === 'open') throw reason;
    },
  });
  return {
    ...createRedisQuotas({ ...options, breaker, replicas: () => 1 }),
    close: () => breaker.close(),
  };
}
