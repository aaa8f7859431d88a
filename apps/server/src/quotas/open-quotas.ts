import type { BanPolicy } from '@animal-store/contract';
import type { Clock } from '../shared/clock.ts';
import type { Timings } from '../shared/timings.ts';
import type { Allowance } from './allowance.ts';
import type { OnBan } from './ban-rule.ts';
import { type BreakerState, createCircuitBreaker } from './circuit-breaker.ts';
import type { KeyQuotas } from './key-quotas.ts';
import { createMemoryQuotas } from './memory-quotas.ts';
import { openRedis, untilReady } from './open-redis.ts';
import { watchForReason } from './outage-reason.ts';
import { createRedisProbe } from './redis-probe.ts';
import { createRedisQuotas } from './redis-quotas.ts';
import type { NetworkAllowance } from './spare-look-ups.ts';

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
 *
 * A request of a key is admitted only if the minute and the day both have room; then it costs one
 * in both. A denied request costs nothing in either. Windows are fixed: the first request opens one,
 * and its end does not move until it is reached.
 */
export interface Quotas {
  readonly keys: KeyQuotas;
  /** Requests without a valid key. */
  readonly networks: NetworkAllowance;
  /** Requests outside of the versioned API, such as for the reference, by network. */
  readonly pages: Pick<Allowance, 'take'>;
  /** Requests of a key for its status. */
  readonly statusRequests: Pick<Allowance, 'take'>;
  close(): void;
}

/** Opens the quotas. They open even if Redis is away. */
export async function openQuotas(options: OpenQuotasOptions): Promise<Quotas> {
  const { redisUrls, redisTimeoutMs, timings, onBreaker } = options;
  const { connectTimeoutMs, firstConnectionTimeoutMs, probeEveryMs } = timings;
  if (redisUrls.length === 0) return { ...createMemoryQuotas(options), close() {} };

  const redis = openRedis(redisUrls, connectTimeoutMs);
  const reasonOf = watchForReason(redis);
  const probe = createRedisProbe(redis, { timeoutMs: redisTimeoutMs, connectTimeoutMs });
  const breaker = createCircuitBreaker({
    timeoutMs: redisTimeoutMs,
    probeEveryMs,
    probe,
    onChange(state, reason) {
      onBreaker(state, reasonOf(reason));
      if (state === 'closed') quotas.repeatMissedUnbans();
    },
  });
  const quotas = createRedisQuotas({ ...options, redis, breaker });

  await untilReady(redis, { ms: firstConnectionTimeoutMs });
  // A first command, so that whatever is wrong with Redis is logged now and not at the first request.
  await breaker.run(probe).catch(() => {});

  return {
    ...quotas,
    close() {
      breaker.close();
      redis.disconnect();
    },
  };
}
