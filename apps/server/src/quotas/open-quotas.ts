import type { BanPolicy } from '@animal-store/contract';
import { createInProcessQuotas } from './in-process-quotas.ts';
import { openRedis, untilReady } from './open-redis.ts';
import type { OnBan, Quotas } from './quotas.ts';
import { createRedisProbe } from './redis-probe.ts';
import { createRedisQuotas } from './redis-quotas.ts';
import { createReplicaShare, shareOf } from './replica-share.ts';
import { createResilientQuotas, type Decider } from './resilient-quotas.ts';

/** How long a start waits for Redis before it goes on without, in milliseconds. */
const firstConnectionTimeoutMs = 1_000;

export interface QuotaOptions {
  /** Where Redis is: none for quotas in process, several for a Cluster. */
  readonly redisUrls: readonly string[];
  /** How long a decision of Redis may take. */
  readonly redisTimeoutMs: number;
  /** How many replicas share each quota while Redis is away. */
  readonly replicas: number;
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
  /** Is told once whenever Redis stops deciding, and why, or decides again. */
  readonly onDecider: (decider: Decider, reason: unknown) => void;
  readonly onBan: OnBan;
}

/** Opens the quotas that the options ask for. A Redis that is away does not keep them from opening. */
export async function openQuotas(options: QuotaOptions): Promise<Quotas> {
  const { redisUrls, redisTimeoutMs, replicas, addressPerMinute, banPolicy, onDecider, onBan } =
    options;
  if (redisUrls.length === 0) return createInProcessQuotas(options);

  const redis = openRedis(redisUrls);
  const quotas = createResilientQuotas({
    shared: createRedisQuotas({ redis, addressPerMinute, banPolicy, onBan }),
    own: createReplicaShare(
      createInProcessQuotas({
        addressPerMinute: shareOf(addressPerMinute, replicas),
        banPolicy,
        onBan,
      }),
      replicas,
    ),
    timeoutMs: redisTimeoutMs,
    probe: createRedisProbe(redis, redisTimeoutMs),
    onChange: onDecider,
  });

  await untilReady(redis, firstConnectionTimeoutMs);
  // A first look, so that whatever is wrong with Redis is said now and not at the first request.
  await quotas.peekAddress('none');

  return {
    ...quotas,
    async close() {
      await quotas.close();
      redis.disconnect();
    },
  };
}
