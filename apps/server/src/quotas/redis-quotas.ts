import { type BanPolicy, rateLimitStatusPerMinute, windowSeconds } from '@animal-store/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../shared/clock.ts';
import { createAllowance } from './allowance.ts';
import type { OnBan } from './ban-rule.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { createKeyQuotas } from './key-quotas.ts';
import { MemoryKeyLimiter } from './memory-key-limiter.ts';
import type { RedisConnection } from './open-redis.ts';
import { RedisAllowanceLimiter } from './redis-allowance-limiter.ts';
import { createRedisBans } from './redis-bans.ts';
import { allowancePrefix } from './redis-format.ts';
import { RedisKeyLimiter } from './redis-key-limiter.ts';
import { withSpareLookUps } from './spare-look-ups.ts';

export interface RedisQuotasOptions {
  readonly clock: Clock;
  readonly redis: RedisConnection;
  readonly breaker: CircuitBreaker;
  /** How many replicas share each quota while Redis is away. Asked for each decision. */
  readonly replicas: () => number;
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
  readonly onBan?: OnBan | undefined;
  /** In tests, what tells the time that Redis decides requests of keys by; otherwise its own. */
  readonly quotaClock?: Clock | undefined;
}

/** Creates the quotas that all replicas on the same Redis share. */
export function createRedisQuotas(options: RedisQuotasOptions) {
  const { clock, redis, breaker, replicas, addressPerMinute, banPolicy, onBan } = options;
  const insurance = new MemoryKeyLimiter({ clock, banPolicy, onBan, replicas, scope: 'replica' });
  const limiter = new RedisKeyLimiter({ ...options, insurance });
  const { repeatMissedUnbans, ...bans } = createRedisBans({ redis, breaker, insurance });
  const allowance = (kind: Parameters<typeof allowancePrefix>[0], perMinute: number) =>
    createRedisAllowance(options, allowancePrefix(kind), perMinute);

  return {
    keys: createKeyQuotas(limiter, bans),
    networks: withSpareLookUps(allowance('network', addressPerMinute), clock),
    pages: allowance('pages', addressPerMinute),
    statusRequests: allowance('rate-limit-status', rateLimitStatusPerMinute),
    repeatMissedUnbans,
  };
}

/** Its insurance is this replica's share. */
function createRedisAllowance(
  { clock, redis, breaker, replicas }: RedisQuotasOptions,
  keyPrefix: string,
  perMinute: number,
) {
  const limits = { points: perMinute, duration: windowSeconds.minute };
  const insurance = new RateLimiterMemory(limits);
  return createAllowance({
    clock,
    limiter: new RedisAllowanceLimiter(breaker, {
      ...limits,
      storeClient: redis,
      keyPrefix,
      insuranceLimiter: insurance,
      inMemoryBlockOnConsumed: perMinute,
    }),
    insurance,
    isInsured: breaker.isOpen,
    share: () => Math.ceil(perMinute / replicas()),
  });
}
