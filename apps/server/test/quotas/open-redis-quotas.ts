import { createCircuitBreaker } from '../../src/quotas/circuit-breaker.ts';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { createRedisQuotas, type RedisQuotasOptions } from '../../src/quotas/redis-quotas.ts';
import { defaultTimings } from '../../src/shared/timings.ts';
import { quotaOptions } from './quota-options.ts';

/**
 * Quotas in Redis. A failure of Redis fails the test: nothing decides in its place.
 *
 * @param options.now the time to decide by.
 */
export function openRedisQuotas({
  now,
  ...options
}: Pick<RedisQuotasOptions, 'redis'> &
  Partial<RedisQuotasOptions> & { now: () => number }): Quotas {
  const { clock, ...defaults } = quotaOptions(now);
  const breaker = createCircuitBreaker({
    timeoutMs: 60_000,
    probeEveryMs: 250,
    probe: () => options.redis.ping(),
    onChange(state, reason) {
      if (state === 'open') throw reason;
    },
  });
  return {
    ...createRedisQuotas({
      ...defaults,
      ...{ clock, quotaClock: clock, breaker, replicas: () => 1 },
      ...defaultTimings.quotas,
      ...options,
    }),
    close: () => breaker.close(),
  };
}
