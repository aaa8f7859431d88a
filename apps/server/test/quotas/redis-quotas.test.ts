import { describe, expect, test, vi } from 'vitest';
import { createCircuitBreaker } from '../../src/quotas/circuit-breaker.ts';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { createRedisBans } from '../../src/quotas/redis-bans.ts';
import { createTestClock } from '../support/test-clock.ts';
import { openRedisQuotas } from './open-redis-quotas.ts';
import { quotaOptions } from './quota-options.ts';
import { startMs } from './quota-sequences.ts';
import { testQuotas } from './quota-suite.ts';
import { useRedis } from './use-redis.ts';

const redis = useRedis();

/** Opens quotas in an empty Redis. */
async function openEmpty(options: Omit<Parameters<typeof openRedisQuotas>[0], 'redis'>) {
  await redis.connection.flushall();
  return openRedisQuotas({ ...options, redis: redis.connection });
}

describe('on Redis', () => testQuotas(openEmpty));

const alone = { id: 'key', quota: { perMinute: 1, perDay: 100 } };
const inAccount = { ...alone, accountId: 'account' };
const [nameAlone, nameInAccount] = [
  'animal-store:key:{key}',
  'animal-store:account:{account}:ban:key',
];

test('Redis decides by its own clock, whatever that of the replica says', async () => {
  const quotas = await openEmpty({ now: () => 0, quotaClock: undefined });
  const minuteAfter = async () => {
    const [seconds, microseconds] = await redis.connection.time();
    const nowMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    return Math.ceil((nowMs + 60_000) / 1_000);
  };
  const earliest = await minuteAfter();
  const { resetAt } = (await quotas.keys.take(alone)).reported;
  expect(resetAt).toBeGreaterThanOrEqual(earliest);
  expect(resetAt).toBeLessThanOrEqual(await minuteAfter());
});

describe('a ban', () => {
  let now: number;

  async function open() {
    now = startMs;
    // The third denial is a ban of 10 s.
    const strict = { graceMs: 0, minStrikes: 1, banSeconds: 10 };
    const banPolicy = { ...quotaOptions().banPolicy, ...strict };
    const { keys } = await openEmpty({ now: () => now, banPolicy });
    return {
      keys,
      take: () => keys.take(alone),
      /** @param answerMs how long Redis takes to answer with the ban. */
      async beBanned(answerMs = 0, key = alone): Promise<QuotaDecision> {
        for (let i = 0; i < 3; i += 1) await keys.take(key);
        const banned = keys.take(key);
        now += answerMs;
        expect((await banned).outcome).toBe('banned');
        return banned;
      },
    };
  }

  test('is kept in Redis as long as it is remembered, whatever the subject of its key becomes', async () => {
    const { beBanned, keys } = await open();
    const { connection } = redis;
    const hoursLeft = async (name: string) => Math.round((await connection.pttl(name)) / 3_600_000);
    await keys.take(alone);
    now += 3_600_000;
    await connection.pexpire(nameAlone, 23 * 3_600_000);
    await beBanned();
    expect(await hoursLeft(nameAlone)).toBe(24);
    await keys.moveBan(alone, inAccount);
    expect(await hoursLeft(nameInAccount)).toBe(24);
    await connection.pexpire(nameAlone, 3_600_000);
    await keys.moveBan(inAccount, alone);
    expect(await hoursLeft(nameAlone)).toBe(24);
    // Nothing else is known of a key that leaves its account for the first time.
    await connection.del(nameAlone);
    await keys.moveBan(inAccount, alone);
    expect(await hoursLeft(nameAlone)).toBe(24);
  });

  test('of a key in an account is kept until its window ends, and deleted when a request is admitted', async () => {
    const { keys } = await open();
    await keys.take(inAccount);
    await keys.take(inAccount);
    // The window's minute, and another one because the clock stands still.
    expect(Math.round((await redis.connection.pttl(nameInAccount)) / 60_000)).toBe(2);
    now += 60_000;
    await keys.take(inAccount);
    expect(await redis.connection.exists(nameInAccount)).toBe(0);
  });

  // Redis refuses to set what ends at once, and this replica took that for an outage.
  test.each([
    ['in this millisecond', 0],
    ['before its end is read', -2],
  ])('that ends %s is not moved to another subject', async (_, ttlMs) => {
    const { connection } = redis;
    await connection.flushall();
    const onChange = vi.fn();
    const probe = () => connection.ping();
    const breaker = createCircuitBreaker({
      ...{ clock: createTestClock(), timeoutMs: 60_000, probeEveryMs: 250 },
      ...{ probe, onChange },
    });
    const bans = createRedisBans({ redis: connection, breaker, insurance: { unban() {} } });
    await connection.set(nameInAccount, 'a ban');
    vi.spyOn(connection, 'pttl').mockResolvedValueOnce(ttlMs);
    await bans.moveBan(inAccount, { id: 'key' });
    expect(onChange).not.toHaveBeenCalled();
    expect(await connection.exists(nameAlone)).toBe(0);
  });
});

test('a network that has used up its allowance is refused without asking Redis', async () => {
  const { networks } = await openEmpty({ now: () => startMs });
  for (let i = 0; i < 61; i += 1) await networks.take('192.0.2.1');
  await redis.connection.flushall();
  const refused = { outcome: 'denied', reported: { limit: 60, remaining: 0 } };
  expect(await networks.take('192.0.2.1')).toMatchObject(refused);
});

test('an API key takes at most 270 bytes of Redis, with every window open and a ban', async () => {
  let now = startMs;
  const { keys } = await openEmpty({ now: () => now });
  const key = { ...alone, id: crypto.randomUUID() };
  const size = () => redis.connection.memory('USAGE', `animal-store:key:{${key.id}}`);
  const outcomes = [];
  for (let i = 0; i < 13; i += 1) {
    outcomes.push((await keys.take(key)).outcome);
    expect(await size()).toBeLessThanOrEqual(270);
    if (i === 1) now += 1_000;
  }
  expect(outcomes.at(-1)).toBe('banned');
});
