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
import { type EndedBan, laterOf, nothingEnded } from './ended-ban.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';
import {
  isCluster,
  openRedis,
  type RedisSource,
  untilReady,
  warnOfEviction,
  watchForReason,
  watchForRefusal,
} from './open-redis.ts';
import type { Quota } from './quota.ts';
import type { QuotaDecision } from './quota-decision.ts';
import { QuotaLimiter } from './quota-limiter.ts';
import { createRedisNames } from './redis-format.ts';
import { createRedisProbe } from './redis-probe.ts';
import { createRedisStore, type RedisStore } from './redis-store.ts';

// Where to find what:
//
// - the rule as a pure function: `decide.ts`; what callers learn about a decision:
//   `quota-decision.ts`
// - the store in memory: `memory-store.ts`
// - the store in Redis: `redis-store.ts` calls `decide.lua`, which repeats the rule;
//   `script-call.ts` writes its arguments and reads its reply; `redis-format.ts` describes the
//   stored data
// - outages of Redis: `circuit-breaker.ts`, `redis-probe.ts`

/** Options of {@link createQuotas}. Each has a default. */
export interface QuotasOptions {
  /**
   * Where replicas count together: an ioredis client, which is duplicated; a URL (`redis://`,
   * `rediss://`, `redis+sentinel://`); or several URLs of a Cluster.
   *
   * @default the memory of this process, for a service with one replica
   */
  readonly redis?: RedisSource | undefined;
  /**
   * The prefix of all names in Redis. Services that share a Redis need different prefixes.
   * @default 'quotas'
   */
  readonly prefix?: string;
  /**
   * When a consumer that ignores 429 responses is banned; `false` for never.
   * @default {@link defaultBanPolicy}
   */
  readonly banPolicy?: BanPolicy | false;
  /**
   * How many replicas share each quota while Redis is down. Each replica then admits its share,
   * rounded up. Called for each decision.
   * @default () => 1
   */
  readonly replicas?: () => number;
  /**
   * The timeout of a decision in Redis, in milliseconds. After it, this replica decides alone.
   * @default 150
   */
  readonly timeoutMs?: number;
  /** How often Redis is probed while it is down, in milliseconds. @default 250 */
  readonly probeEveryMs?: number;
  /** The timeout of a connection that is being established, in milliseconds. @default 1000 */
  readonly connectTimeoutMs?: number;
  /**
   * How long {@link createQuotas} waits for Redis before it starts without it, in milliseconds.
   * @default 1000
   */
  readonly firstConnectionTimeoutMs?: number;
  readonly onBan?: OnBan;
  /** Called once whenever Redis stops deciding (`open`) or resumes (`closed`), with the reason. */
  readonly onBreaker?: (state: BreakerState, reason: unknown) => void;
  /** Called once if a setting of Redis makes counts inexact, with a sentence for operators. */
  readonly onWarning?: (sentence: string) => void;
  /** The clock of this process, for decisions in memory. @default the system's */
  readonly clock?: Clock;
  /** In tests, the clock by which Redis decides. @default Redis's own clock */
  readonly redisClock?: Pick<Clock, 'now'> | undefined;
}

/** The quotas of one replica. Replicas on the same Redis count together. */
export interface Quotas {
  /**
   * Decides one request of a consumer, and counts it against its subject. It also resolves if the
   * request is refused, and while Redis is down.
   *
   * @throws {TypeError} (as a rejection) if an id is empty or a limit is not an integer from 1 to
   *   2,147,483,647.
   */
  consume(consumer: Consumer): Promise<QuotaDecision>;
  /** Reads the state of a consumer and of its subject. Counts nothing. @throws {TypeError} as `consume` */
  look(consumer: Consumer): Promise<QuotaDecision>;
  /** Reads what the consumers of an account have used of a quota. Counts nothing. @throws {TypeError} as `consume` */
  lookAtAccount(accountId: string, quota: Quota): Promise<QuotaDecision>;
  /**
   * Ends the ban of a consumer, and deletes its strikes and earlier bans. The counts stay. If the
   * consumer has an account, it ends the ban both with and without the account, because a plan of
   * the account may begin or end at the same time.
   *
   * @returns the strikes and the ban that were ended.
   * @throws {QuotasAwayError} if Redis is down. Nothing has changed then.
   */
  unban(consumer: ConsumerId): Promise<EndedBan>;
  /**
   * Empties both windows of the subject of a consumer. Bans and strikes stay.
   *
   * @throws {QuotasAwayError} if Redis is down. Nothing has changed then.
   */
  credit(consumer: ConsumerId): Promise<void>;
  /**
   * Moves the ban, the strikes and the earlier bans of a consumer when its subject changes. The
   * counts stay with the subject. If Redis is down, a ban stays with the old subject.
   */
  moveBan(from: ConsumerId, to: ConsumerId): Promise<void>;
  /**
   * Creates a limit per minute without bans, for callers that are not consumers, such as networks
   * without a key. The name of the limit is part of the names in Redis.
   */
  createAllowance(name: string, limit: { perMinute: number }): Allowance;
  /**
   * Returns a limiter of rate-limiter-flexible for one quota. Its `consume` rejects with the
   * decision if the request is refused.
   */
  limiter(quota: Quota): QuotaLimiter;
  /**
   * Returns why Redis refuses this replica now, if it does: the database, the user or the password
   * is wrong, or the user may not run a command. Retries do not help.
   */
  refusal(): string | undefined;
  /** Closes the connection. A client passed as `redis` stays open. */
  close(): void;
}

/** Redis does not respond, and nothing has changed. */
export class QuotasAwayError extends Error {
  override readonly name = 'QuotasAwayError';
}

/** Redis refuses the user, the password, a command or the database. Retries do not help. */
export class RedisRefusalError extends Error {
  override readonly name = 'RedisRefusalError';
}

/**
 * Opens quotas. It also succeeds while Redis is down.
 *
 * @throws {RedisRefusalError} if Redis is reachable, but refuses the database, the user, the
 *   password or a command.
 */
export async function createQuotas(options: QuotasOptions = {}): Promise<Quotas> {
  const { redis: source, prefix = 'quotas', replicas = () => 1 } = options;
  const { timeoutMs = 150, probeEveryMs = 250, connectTimeoutMs = 1_000 } = options;
  const { firstConnectionTimeoutMs = 1_000, onBan, onBreaker = () => {} } = options;
  const { onWarning = () => {} } = options;
  const { clock = systemClock, redisClock } = options;
  const banPolicy = policyOf(options.banPolicy);
  if (source === undefined || (Array.isArray(source) && source.length === 0)) {
    return createMemoryQuotas(options);
  }

  const names = createRedisNames(prefix);
  const redis = openRedis(source, { connectTimeoutMs, name: prefix });
  const reasonOf = watchForReason(redis);
  const refused = watchForRefusal(redis);
  const probeRedis = createRedisProbe(redis, names.probes(isCluster(redis)), {
    timeoutMs,
    connectTimeoutMs,
  });
  const probe = () => refused.watchProbe(probeRedis);
  warnOfEviction(redis, onWarning);
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
  function throwIfRefused(): void {
    const refusal = refused.sentence();
    if (refusal === undefined) return;
    close();
    throw new RedisRefusalError(refusal);
  }
  throwIfRefused();
  // This first command finds a wrong configuration now, and not at the first request.
  await breaker.run(probe).catch(throwIfRefused);

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
 * Creates the quotas of consumers from the stores of their state.
 *
 * @param memory decides alone if there is no Redis, and with this replica's share while Redis is
 *   down.
 */
function composeStores({ redis, memory }: { redis?: RedisStore; memory: MemoryStore }) {
  /**
   * Changes the state in Redis, and then in memory, because this replica may have decided requests
   * in memory during an outage.
   */
  async function change<Result>(
    consumer: ConsumerId,
    inRedis: (() => Promise<Result>) | undefined,
    inMemory: () => Result,
  ): Promise<{ redis: Result | undefined; memory: Result }> {
    checkConsumerId(consumer);
    try {
      const redis = await inRedis?.();
      return { redis, memory: inMemory() };
    } catch (cause) {
      throw new QuotasAwayError('Redis does not respond.', { cause });
    }
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

    // No consumer has an empty id, so the store returns neither strikes nor a ban.
    lookAtAccount: (accountId: string, quota: Quota): Promise<QuotaDecision> =>
      quotas.look({ id: accountId, accountId, quota }),

    async unban(consumer: ConsumerId): Promise<EndedBan> {
      const inRedis = redis && (() => redis.unban(consumer));
      const ended = await change(consumer, inRedis, () => memory.unban(consumer));
      return laterOf(ended.redis ?? nothingEnded, ended.memory);
    },

    async credit(consumer: ConsumerId): Promise<void> {
      const inRedis = redis && (() => redis.credit(consumer));
      await change<unknown>(consumer, inRedis, () => memory.credit(consumer));
    },

    async moveBan(from: ConsumerId, to: ConsumerId): Promise<void> {
      checkConsumerId(from);
      checkConsumerId(to);
      // The store in memory keeps bans by the id of the consumer, whatever its subject is.
      await redis?.moveBan(from, to).catch(() => {});
    },

    limiter: (quota: Quota): QuotaLimiter => new QuotaLimiter(quotas, quota),
  };
  return quotas;
}
