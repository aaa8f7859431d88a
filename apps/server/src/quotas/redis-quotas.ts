import { readFileSync } from 'node:fs';
import type { BanPolicy } from '@animal-store/contract';
import { strikeThreshold } from './ban-policy.ts';
import {
  decisionOnAddress,
  decisionOnKey,
  type KeyReading,
  usageOf,
  type WindowReading,
} from './decision.ts';
import type { RedisConnection } from './open-redis.ts';
import type { OnBan, Quotas } from './quotas.ts';
import { createRememberedBans } from './remembered-bans.ts';

const takeScript = readFileSync(new URL('./take.lua', import.meta.url), 'utf8');

/** The script as ioredis puts it on a connection: EVALSHA, and EVAL where Redis does not know it. */
type Take = (key: string, ...args: readonly (string | number)[]) => Promise<number[]>;

/**
 * Keeps quotas in Redis: replicas on the same Redis decide as one, by its clock.
 *
 * One script decides a request, in one round trip. It is not rate-limiter-flexible's: that library
 * holds one counter a limiter and increments before it compares. Two of its limiters side by side
 * take two commands and let a denied minute burn the day; to put this script behind its
 * `RateLimiterRedis` would take a subclass that overrides all it does and squeezes eight integers
 * through a result made for two. The library keeps the counters of the in-process quotas, which
 * stand in while Redis is away.
 *
 * @param options.now the time to decide by, for tests; otherwise Redis's own.
 * @throws what ioredis throws, when Redis cannot decide.
 */
export function createRedisQuotas(options: {
  redis: RedisConnection;
  addressPerMinute: number;
  banPolicy: BanPolicy;
  onBan?: OnBan;
  now?: () => number;
}): Quotas {
  const { redis, addressPerMinute, banPolicy, onBan, now } = options;
  redis.defineCommand('takeQuota', { numberOfKeys: 1, lua: takeScript });
  const run = (redis as RedisConnection & { takeQuota: Take }).takeQuota.bind(redis);

  const policyArguments = [
    banPolicy.graceMs,
    banPolicy.strikeWindowSeconds * 1_000,
    banPolicy.banSeconds * 1_000,
    banPolicy.maxBanSeconds * 1_000,
    banPolicy.memorySeconds * 1_000,
  ];
  const noBans = -1;
  const clock = now ?? (() => performance.now());
  const bans = createRememberedBans(clock);

  async function take(request: {
    key: string;
    cost: 0 | 1;
    perMinute: number;
    perDay: number;
    threshold: number | undefined;
  }): Promise<KeyReading & { banBegan: boolean }> {
    const { key, cost, perMinute, perDay, threshold } = request;
    const reply = await run(
      key,
      cost,
      perMinute,
      perDay,
      threshold ?? noBans,
      ...policyArguments,
      now?.() ?? '',
    );
    const [
      at = 0,
      admitted,
      minuteUsed,
      minuteEnds,
      dayUsed,
      dayEnds,
      banEnds,
      strikes = 0,
      began,
    ] = reply;
    return {
      now: at,
      admitted: admitted === 1,
      minute: toWindow(minuteUsed, minuteEnds),
      day: toWindow(dayUsed, dayEnds),
      bannedUntilMs: banEnds === 0 ? undefined : banEnds,
      strikes,
      banBegan: began === 1,
    };
  }

  const takeForAddress = async (network: string, cost: 0 | 1) =>
    decisionOnAddress(
      await take({
        key: `animal-store:address:{${network}}`,
        cost,
        perMinute: addressPerMinute,
        perDay: 0,
        threshold: undefined,
      }),
      addressPerMinute,
    );

  // In braces: all that is kept of a key lies on one node of a Cluster.
  const keyOf = (id: string) => `animal-store:quota:{${id}}`;

  return {
    async takeForKey({ id, quota }) {
      const threshold = strikeThreshold(banPolicy, quota);
      const banned = bans.recall(id);
      if (banned !== undefined) return decisionOnKey(banned, quota, threshold);
      const askedAt = clock();
      const reading = await take({ key: keyOf(id), cost: 1, ...quota, threshold });
      bans.remember(id, reading, askedAt);
      if (reading.banBegan && reading.bannedUntilMs !== undefined) {
        onBan?.({ keyId: id, seconds: (reading.bannedUntilMs - reading.now) / 1000 });
      }
      return decisionOnKey(reading, quota, threshold);
    },
    async usageOf({ id, quota }) {
      const threshold = strikeThreshold(banPolicy, quota);
      const reading = await take({ key: keyOf(id), cost: 0, ...quota, threshold });
      return usageOf(reading, quota, threshold);
    },
    async pardon(id) {
      bans.forget(id);
      await redis.hdel(
        keyOf(id),
        'ban_ends',
        'bans',
        'bans_end',
        'strikes',
        'strikes_end',
        'episode_ends',
      );
    },
    notePardon: (id) => bans.forget(id),
    takeForAddress: (network) => takeForAddress(network, 1),
    peekAddress: (network) => takeForAddress(network, 0),
    close: async () => {},
  };
}

function toWindow(used = 0, endsAtMs = 0): WindowReading {
  return { used, endsAtMs: endsAtMs === 0 ? undefined : endsAtMs };
}
