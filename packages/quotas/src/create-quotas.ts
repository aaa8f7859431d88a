import { systemClock } from '@animal-store/runtime';
import { type Allowance, createAllowance } from './allowance.ts';
import { type BanPolicy, defaultBanPolicy } from './ban-policy.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { type Consumer, type ConsumerId, checkConsumer, checkConsumerId } from './consumer.ts';
import { type EndedBan, laterEnding, noEndedBan } from './ended-ban.ts';
import { warnOfEviction } from './eviction-warning.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';
import { isCluster, openRedis, untilReady } from './open-redis.ts';
import { watchForReason } from './outage-reason.ts';
import type { Quota } from './quota.ts';
import type { QuotaDecision } from './quota-decision.ts';
import { QuotaLimiter } from './quota-limiter.ts';
import { checkQuotasOptions, memoryOptions, type QuotasOptions } from './quotas-options.ts';
import { measureRedisClock } from './redis-clock.ts';
import { createRedisNames } from './redis-format.ts';
import { createRedisProbe } from './redis-probe.ts';
import { watchForRefusal } from './redis-refusal.ts';
import { createRedisStore, type RedisStore } from './redis-store.ts';

// This package is divided into these files:
//
// - `decide.ts` decides whether a request is admitted, as a pure function. `quota-decision.ts`
//   contains the decision that callers receive.
// - `memory-store.ts` is the store in memory.
// - `redis-store.ts` is the store in Redis. It calls `decide.lua`, which implements the same rules.
//   `script-call.ts` writes the arguments of the script and reads its reply. `redis-format.ts`
//   describes the stored data.
// - `circuit-breaker.ts` and `redis-probe.ts` handle outages of Redis.

/**
 * The quotas of one replica of the service. All replicas that use the same Redis count together.
 */
export interface Quotas {
  /**
   * Decides one request of a consumer (a caller with a quota). An admitted request is counted
   * against the quota of the consumer, or of its account. The promise also resolves if the request
   * is refused, and while Redis is down.
   *
   * @throws {TypeError} (as a rejection) if an id is empty or a limit is not an integer from 1 to
   *   2,147,483,647.
   */
  consume(consumer: Consumer): Promise<QuotaDecision>;
  /**
   * Returns the state of a consumer (a caller with a quota), and of the account whose quota the
   * consumer shares, without counting a request. @throws {TypeError} for the same arguments as
   * `consume`
   */
  look(consumer: Consumer): Promise<QuotaDecision>;
  /**
   * Returns how much of a quota the consumers (callers with a quota) of an account have used,
   * without counting a request.
   * @throws {TypeError} for the same arguments as `consume`
   */
  lookAtAccount(accountId: string, quota: Quota): Promise<QuotaDecision>;
  /**
   * Ends the ban of a consumer (a caller with a quota), and deletes its strikes (denied requests
   * that count towards a ban) and earlier bans. The counts of its windows stay.
   *
   * If the consumer has an account, the ban is deleted under the account and also under the
   * consumer alone. While a consumer joins or leaves an account, its ban may be in one place or in
   * the other. If the function deleted only one of them, the ban might survive.
   *
   * @returns the strikes and the ban that were ended.
   * @throws {QuotasUnavailableError} if Redis is down.
   */
  unban(consumer: ConsumerId): Promise<EndedBan>;
  /**
   * Sets the request counts of the current minute and day to zero. They are the counts of a
   * consumer (a caller with a quota), or of the account whose quota the consumer shares. Bans and
   * strikes (denied requests that count towards a ban) stay.
   *
   * @throws {QuotasUnavailableError} if Redis is down.
   */
  credit(consumer: ConsumerId): Promise<void>;
  /**
   * Moves the ban, the strikes (denied requests that count towards a ban) and the earlier bans of a
   * consumer, such as an API key, when it joins or leaves an account. The request counts are not
   * moved. If Redis is down, nothing is moved.
   *
   * @returns false if Redis is down.
   */
  moveBan(from: ConsumerId, to: ConsumerId): Promise<boolean>;
  /**
   * Creates an allowance: a limit per minute without bans, for callers that have no quota, such as
   * networks. The Redis keys of the counts contain the name of the allowance.
   */
  createAllowance(name: string, limit: { perMinute: number }): Allowance;
  /**
   * Returns a limiter of rate-limiter-flexible for one quota. `consume` of the limiter rejects with
   * the decision if the request is refused.
   */
  limiter(quota: Quota): QuotaLimiter;
  /**
   * Returns why Redis refuses this replica now, or `undefined` if Redis accepts it. A reason is a
   * wrong database number, user or password, a command that the user may not run, a wrong password
   * or name of the Sentinels, a command that they refuse, one URL for a Cluster, several URLs for a
   * Redis that is not a Cluster, or a certificate that this process does not accept. Retries do not help.
   */
  refusal(): string | undefined;
  /**
   * Measures by how many milliseconds the clock of this process is ahead of the clock of Redis. In
   * a Cluster, the result is the largest difference to a primary. Each call sends TIME to Redis.
   *
   * @returns the difference; a negative number if the clock of this process is behind. Without
   *   Redis, or if Redis does not respond within a second, the result is `undefined`.
   */
  clockDifferenceMs(): Promise<number | undefined>;
  /** Closes the connection to Redis. A client that was passed as `redis` stays open. */
  close(): void;
}

/**
 * The error that {@link Quotas.unban} and {@link Quotas.credit} reject with if Redis is down. The
 * state in memory has not changed. If Redis was not down, but its response was late, the state in
 * Redis may have changed.
 */
export class QuotasUnavailableError extends Error {
  override readonly name = 'QuotasUnavailableError';
}

/**
 * An error for a Redis that refuses the user, the password, a command or the number of the database,
 * or for Sentinels that refuse their password or a command, or do not know the primary. The error is
 * also used for a single URL of a Redis Cluster, and for several URLs of a Redis that is not a Cluster.
 * Retries do not help.
 */
export class RedisRefusalError extends Error {
  override readonly name = 'RedisRefusalError';
}

/**
 * Creates the quotas of one replica of the service. If Redis is down, the function still succeeds,
 * and this replica decides alone.
 *
 * @throws {TypeError} if an option is invalid.
 * @throws {RedisRefusalError} if Redis is reachable, but refuses the number of the database, the
 *   user, the password or a command, if the Sentinels refuse their password or a command, or do not
 *   know the primary, if a single URL leads to a Redis Cluster, or if several URLs lead to a Redis
 *   that is not a Cluster.
 */
export async function createQuotas(options: QuotasOptions = {}): Promise<Quotas> {
  checkQuotasOptions(options);
  const { redis: source, prefix = 'quotas', replicas: replicasOf = () => 1 } = options;
  // `replicas` may return 0, because a replica that has just started may not have counted itself
  // yet. The number is raised to 1, because a quota divided by 0 would admit everything.
  const replicas = () => Math.max(1, replicasOf() || 1);
  const { timeoutMs = 150, probeEveryMs = 250, connectTimeoutMs = 1_000 } = options;
  const { firstConnectionTimeoutMs = 1_000, onBan, onBreaker = () => {} } = options;
  const { onWarning = () => {} } = options;
  const { clock = systemClock, redisClock } = options;
  const banPolicy = policyOf(options.banPolicy);
  if (source === undefined) {
    return createMemoryQuotas({ clock, banPolicy: options.banPolicy, onBan });
  }

  const names = createRedisNames(prefix);
  const redis = openRedis(source, { connectTimeoutMs, name: prefix });
  const reasonOf = watchForReason(redis);
  const refused = watchForRefusal(redis);
  const probeOf = (count: 'one' | 'every node') => {
    const probe = createRedisProbe(redis, names.probes(count), { timeoutMs, connectTimeoutMs });
    return () => refused.watchProbe(probe, `${prefix}:*`);
  };
  const probe = probeOf(isCluster(redis) ? 'every node' : 'one');
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
    const refusal = refused.startFault();
    if (refusal === undefined) return;
    close();
    throw new RedisRefusalError(refusal);
  }
  throwIfRefused();
  // The first probe runs before this function returns, so that a wrong configuration is found
  // before the first request. The first probe writes the Redis keys of every node even if there is
  // only one URL. Otherwise it would succeed on a node of a Cluster that stores the only Redis key of
  // the probe, and decisions about other Redis keys would fail.
  await breaker.run(probeOf('every node')).catch(throwIfRefused);

  return {
    ...composeStores({
      redis: createRedisStore({ redis, names, breaker, banPolicy, onBan, redisClock }),
      memory: createMemoryStore({ clock, banPolicy, onBan, replicas, scope: 'replica' }),
    }),
    createAllowance: (name, { perMinute }) =>
      createAllowance(name, { clock, perMinute }, { redis, names, breaker, replicas }),
    refusal: refused.sentence,
    clockDifferenceMs: () => measureRedisClock(redis, clock),
    close,
  };
}

/**
 * Creates quotas that are counted in the memory of this process, for a service with one replica.
 *
 * @throws {TypeError} if an option is invalid.
 */
export function createMemoryQuotas(
  options: Pick<QuotasOptions, (typeof memoryOptions)[number]> = {},
): Quotas {
  checkQuotasOptions(options, memoryOptions);
  const { clock = systemClock, banPolicy, onBan } = options;
  const alone = { replicas: () => 1, scope: 'service' } as const;
  return {
    ...composeStores({
      memory: createMemoryStore({ clock, banPolicy: policyOf(banPolicy), onBan, ...alone }),
    }),
    createAllowance: (name, { perMinute }) => createAllowance(name, { clock, perMinute }),
    refusal: () => undefined,
    clockDifferenceMs: async () => undefined,
    close() {},
  };
}

const policyOf = (policy: BanPolicy | false = defaultBanPolicy): BanPolicy =>
  policy || { ...defaultBanPolicy, minStrikes: 0 };

/**
 * Creates the operations on consumers from the two stores.
 *
 * @param redis the store in Redis, if there is one.
 * @param memory the store in memory. It decides if there is no Redis, and during outages of Redis.
 */
function composeStores({ redis, memory }: { redis?: RedisStore; memory: MemoryStore }) {
  /**
   * Changes the state in Redis first, and then in memory. After an outage of Redis, the memory may
   * still contain a ban or counts of this outage. The ban or the counts would apply again in the
   * next outage, so they are changed in memory, too.
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
      throw new QuotasUnavailableError('Redis does not respond.', { cause });
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

    // To read the counts of an account, the function passes the id of the account also as the id of
    // a consumer. No consumer has this id, so the result contains no strikes and no ban.
    lookAtAccount: (accountId: string, quota: Quota): Promise<QuotaDecision> =>
      quotas.look({ id: accountId, accountId, quota }),

    async unban(consumer: ConsumerId): Promise<EndedBan> {
      const inRedis = redis && (() => redis.unban(consumer));
      const ended = await change(consumer, inRedis, () => memory.unban(consumer));
      return laterEnding(ended.redis ?? noEndedBan, ended.memory);
    },

    async credit(consumer: ConsumerId): Promise<void> {
      const inRedis = redis && (() => redis.credit(consumer));
      await change<unknown>(consumer, inRedis, () => memory.credit(consumer));
    },

    async moveBan(from: ConsumerId, to: ConsumerId): Promise<boolean> {
      checkConsumerId(from);
      checkConsumerId(to);
      // The store in memory finds a ban by the id of the consumer alone, so a ban need not move
      // when the consumer changes its account.
      if (redis === undefined) return true;
      return redis.moveBan(from, to).then(
        () => true,
        () => false,
      );
    },

    limiter: (quota: Quota): QuotaLimiter => new QuotaLimiter(quotas, quota),
  };
  return quotas;
}
