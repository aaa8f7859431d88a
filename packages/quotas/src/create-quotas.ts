import { type Clock, systemClock } from '@animal-store/runtime';
import { type Allowance, createAllowance } from './allowance.ts';
import { type BanPolicy, defaultBanPolicy } from './ban-policy.ts';
import { type BreakerState, createCircuitBreaker } from './circuit-breaker.ts';
import {
  type Consumer,
  type ConsumerId,
  checkConsumer,
  checkConsumerId,
  type OnBan,
} from './consumer.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';
import {
  isCluster,
  openRedis,
  type RedisSource,
  untilReady,
  watchForReason,
  watchForRefusal,
} from './open-redis.ts';
import type { Quota } from './quota.ts';
import type { QuotaDecision } from './quota-decision.ts';
import { QuotaLimiter } from './quota-limiter.ts';
import { createRedisNames } from './redis-format.ts';
import { createRedisProbe } from './redis-probe.ts';
import { createRedisStore, type RedisStore } from './redis-store.ts';

// Where to look:
//
// - the rule, pure: `decide.ts`; what a caller is told of a decision: `quota-decision.ts`
// - the store in memory: `memory-store.ts`
// - the store in Redis: `redis-store.ts` calls `decide.lua`, which says the rule again; `script-call.ts` writes its
//   arguments and reads its reply; `redis-format.ts` describes what is stored
// - without Redis: `circuit-breaker.ts`, `redis-probe.ts`

/** Options of {@link createQuotas}. Each has a default. */
export interface QuotasOptions {
  /**
   * Where replicas count together: an ioredis client, of which a copy connects for itself; a URL
   * (`redis://`, `rediss://`, `redis+sentinel://`); or several URLs of a Cluster.
   *
   * @default the memory of this process, for a service with one replica
   */
  readonly redis?: RedisSource | undefined;
  /** In front of all names in Redis. Services that share a Redis need different ones. @default 'quotas' */
  readonly prefix?: string;
  /** When a consumer that ignores refusals is banned; `false` for never. @default {@link defaultBanPolicy} */
  readonly banPolicy?: BanPolicy | false;
  /**
   * How many replicas share each quota while Redis is down: each replica then admits its share, rounded up. Called for
   * each decision. @default () => 1
   */
  readonly replicas?: () => number;
  /** How long Redis may take to decide before this replica decides by itself, in milliseconds. @default 150 */
  readonly timeoutMs?: number;
  /** How often Redis is tried while it is down, in milliseconds. @default 250 */
  readonly probeEveryMs?: number;
  /** How long a connection may take to be ready before a new one is tried, in milliseconds. @default 1000 */
  readonly connectTimeoutMs?: number;
  /** How long {@link createQuotas} waits for Redis before it continues without it, in milliseconds. @default 1000 */
  readonly firstConnectionTimeoutMs?: number;
  readonly onBan?: OnBan;
  /** Called once whenever Redis stops deciding (`open`) or resumes (`closed`), with the reason. */
  readonly onBreaker?: (state: BreakerState, reason: unknown) => void;
  /** The clock of this process, for decisions in memory. @default the system's */
  readonly clock?: Clock;
  /** In tests, what tells the time that Redis decides by. @default Redis's own clock */
  readonly redisClock?: Pick<Clock, 'now'> | undefined;
}

/** The quotas of one replica. Replicas on the same Redis decide as one. */
export interface Quotas {
  /**
   * Decides one request of a consumer, and counts it against its subject. Resolves also if the request is refused, and
   * while Redis is down.
   *
   * @throws {TypeError} (as a rejection) if an id is empty or a limit is no integer from 1 to 2,147,483,647.
   */
  consume(consumer: Consumer): Promise<QuotaDecision>;
  /** Reads the state of a consumer and of its subject. Counts nothing. @throws {TypeError} as `consume` */
  look(consumer: Consumer): Promise<QuotaDecision>;
  /** Reads what the consumers of an account have used of a quota. Counts nothing. @throws {TypeError} as `consume` */
  lookAtAccount(accountId: string, quota: Quota): Promise<QuotaDecision>;
  /**
   * Ends the ban of a consumer, and deletes its strikes and earlier bans. The counts stay. If the consumer has an
   * account, it ends the ban both with and without the account: a plan of the account may come or go meanwhile.
   *
   * @throws {QuotasAwayError} if Redis is down: nothing was changed.
   */
  unban(consumer: ConsumerId): Promise<void>;
  /**
   * Empties both windows of the subject of a consumer. Bans and strikes stay.
   *
   * @throws {QuotasAwayError} if Redis is down: nothing was changed.
   */
  credit(consumer: ConsumerId): Promise<void>;
  /**
   * Moves the ban, the strikes and the earlier bans of a consumer when its subject changes. The counts stay with the
   * subject. If Redis is down, a ban stays behind.
   */
  moveBan(from: ConsumerId, to: ConsumerId): Promise<void>;
  /**
   * Creates a limit per minute without bans, for callers that are no consumers, such as networks without a key. Its
   * name is part of the names in Redis.
   */
  createAllowance(name: string, limit: { perMinute: number }): Allowance;
  /** Gives a limiter of rate-limiter-flexible for one quota: its `consume` rejects with the decision if it refuses. */
  limiter(quota: Quota): QuotaLimiter;
  /** Why Redis refuses this replica now, if it does: the database, the user or the password. Waiting does not mend it. */
  refusal(): string | undefined;
  /** Closes the connection. A client that was given as `redis` stays open. */
  close(): void;
}

/** Nothing was changed, because Redis does not answer. */
export class QuotasAwayError extends Error {
  override readonly name = 'QuotasAwayError';
}

/** Redis refuses the user, the password or the number of the database: waiting does not mend it. */
export class RedisRefusalError extends Error {
  override readonly name = 'RedisRefusalError';
}

/**
 * Opens quotas. They open also while Redis is down.
 *
 * @throws {RedisRefusalError} if Redis is there, and refuses the database, the user or the password.
 */
export async function createQuotas(options: QuotasOptions = {}): Promise<Quotas> {
  const { redis: source, prefix = 'quotas', replicas = () => 1 } = options;
  const { timeoutMs = 150, probeEveryMs = 250, connectTimeoutMs = 1_000 } = options;
  const { firstConnectionTimeoutMs = 1_000, onBan, onBreaker = () => {} } = options;
  const { clock = systemClock, redisClock } = options;
  const banPolicy = policyOf(options.banPolicy);
  if (source === undefined || (Array.isArray(source) && source.length === 0)) {
    return createMemoryQuotas(options);
  }

  const names = createRedisNames(prefix);
  const redis = openRedis(source, { connectTimeoutMs, name: prefix });
  const reasonOf = watchForReason(redis);
  const refused = watchForRefusal(redis);
  const probe = createRedisProbe(redis, names.probes(isCluster(redis)), {
    timeoutMs,
    connectTimeoutMs,
  });
  const breaker = createCircuitBreaker({
    timeoutMs,
    probeEveryMs,
    probe,
    onChange(state, reason) {
      onBreaker(state, reasonOf(reason));
    },
  });
  function close(): void {
    breaker.close();
    redis.disconnect();
  }

  await Promise.race([untilReady(redis, { ms: firstConnectionTimeoutMs }), refused.first]);
  const refusal = refused.sentence();
  if (refusal !== undefined) {
    close();
    throw new RedisRefusalError(refusal);
  }
  // A first command, so that whatever is wrong with Redis is known now and not at the first request.
  await breaker.run(probe).catch(() => {});

  return {
    ...composeStores({
      redis: createRedisStore({ redis, names, breaker, banPolicy, onBan, redisClock }),
      memory: createMemoryStore({ clock, banPolicy, onBan, replicas, scope: 'replica' }),
    }),
    createAllowance: (name, { perMinute }) =>
      createAllowance(name, { clock, perMinute }, { redis, names, breaker, replicas }),
    refusal: refused.sentence,
    close,
  };
}

/** Creates quotas in the memory of this process, for a service with one replica. */
export function createMemoryQuotas({
  clock = systemClock,
  banPolicy,
  onBan,
}: Pick<QuotasOptions, 'clock' | 'banPolicy' | 'onBan'> = {}): Quotas {
  const alone = { replicas: () => 1, scope: 'service' } as const;
  return {
    ...composeStores({
      memory: createMemoryStore({ clock, banPolicy: policyOf(banPolicy), onBan, ...alone }),
    }),
    createAllowance: (name, { perMinute }) => createAllowance(name, { clock, perMinute }),
    refusal: () => undefined,
    close() {},
  };
}

const policyOf = (policy: BanPolicy | false = defaultBanPolicy): BanPolicy =>
  policy || { ...defaultBanPolicy, minStrikes: 0 };

/**
 * Creates the quotas of consumers from what keeps their state.
 *
 * @param memory decides alone if there is no Redis, and decides with this replica's share while Redis is down.
 */
function composeStores({ redis, memory }: { redis?: RedisStore; memory: MemoryStore }) {
  /** Changes the state in Redis, and then in memory, where requests may have been decided meanwhile. */
  async function change(
    consumer: ConsumerId,
    inRedis: (() => Promise<unknown>) | undefined,
    inMemory: () => void,
  ) {
    checkConsumerId(consumer);
    try {
      await inRedis?.();
    } catch (cause) {
      throw new QuotasAwayError('Redis does not answer.', { cause });
    }
    inMemory();
  }

  const quotas = {
    consume(consumer: Consumer): Promise<QuotaDecision> {
      try {
        checkConsumer(consumer);
        return redis === undefined
          ? Promise.resolve(memory.decide(consumer))
          : redis.decide(consumer).catch(() => memory.decide(consumer));
      } catch (error) {
        return Promise.reject(error);
      }
    },

    async look(consumer: Consumer): Promise<QuotaDecision> {
      checkConsumer(consumer);
      return redis === undefined
        ? memory.look(consumer)
        : await redis.look(consumer).catch(() => memory.look(consumer));
    },

    // No consumer has this id, so no strikes and no ban are found.
    lookAtAccount: (accountId: string, quota: Quota): Promise<QuotaDecision> =>
      quotas.look({ id: accountId, accountId, quota }),

    unban: (consumer: ConsumerId) =>
      change(consumer, redis && (() => redis.unban(consumer)), () => memory.unban(consumer)),

    credit: (consumer: ConsumerId) =>
      change(consumer, redis && (() => redis.credit(consumer)), () => memory.credit(consumer)),

    async moveBan(from: ConsumerId, to: ConsumerId): Promise<void> {
      checkConsumerId(from);
      checkConsumerId(to);
      // In memory, bans are kept by the id of the consumer, whatever its subject is.
      await redis?.moveBan(from, to).catch(() => {});
    },

    limiter: (quota: Quota): QuotaLimiter => new QuotaLimiter(quotas, quota),
  };
  return quotas;
}
