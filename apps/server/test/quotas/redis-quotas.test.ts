import { defaultBanPolicy } from '@animal-store/contract';
import { openRedis, until } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { beforeEach, expect, test, vi } from 'vitest';
import type { OpenQuotasOptions } from '../../src/quotas/open-quotas.ts';
import { createRedisKeyState } from '../../src/quotas/redis-key-state.ts';
import type { CircuitBreaker } from '../../src/quotas/without-redis.ts';
import { createTestClock } from '../support/test-clock.ts';
import { startMs } from './open-test-quotas.ts';
import { useRedis } from './use-redis.ts';

// What is decided is the same in every store: quota-rule.test.ts.

const redis = useRedis();
let now: number;
beforeEach(async () => {
  now = startMs;
  await redis.connection.flushall();
});

const open = (options: Partial<OpenQuotasOptions> = {}) =>
  redis.openQuotas({ now: () => now, ...options });

/** The third denial is a ban. */
const strict = { ...defaultBanPolicy, graceMs: 0, minStrikes: 1 };
const alone = { id: 'key', quota: { perMinute: 1, perDay: 100 } };
const inAccount = { ...alone, accountId: 'account' };
const [nameAlone, nameInAccount] = [
  'animal-store:key:{key}',
  'animal-store:account:{account}:ban:key',
];

test('Redis decides by its own clock, whatever that of the replica says', async () => {
  const quotas = await open({ clock: createTestClock(0), quotaClock: undefined });
  const minuteAfter = async () => Number((await redis.connection.time())[0]) + 60;
  const earliest = await minuteAfter();
  const { resetAt } = (await quotas.keys.take(alone)).reported;
  expect(resetAt).toBeGreaterThanOrEqual(earliest);
  expect(resetAt).toBeLessThanOrEqual((await minuteAfter()) + 1);
});

test('the state of a ban is kept as long as it is remembered, whatever the subject of its key becomes', async () => {
  const { connection } = redis;
  const { keys } = await open({ banPolicy: strict });
  const hoursLeft = async (name: string) => Math.round((await connection.pttl(name)) / 3_600_000);
  await keys.take(alone);
  now += 3_600_000;
  await connection.pexpire(nameAlone, 23 * 3_600_000);
  for (let i = 0; i < 4; i += 1) await keys.take(alone);
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

test('denials of a key in an account are kept until its window ends, and deleted when a request is admitted', async () => {
  const { keys } = await open();
  await keys.take(inAccount);
  await keys.take(inAccount);
  // The window's minute, and another one because the clock stands still.
  expect(Math.round((await redis.connection.pttl(nameInAccount)) / 60_000)).toBe(2);
  now += 60_000;
  await keys.take(inAccount);
  expect(await redis.connection.exists(nameInAccount)).toBe(0);
});

// Regression: Redis refuses to set what ends at once, and the replica took that for an outage.
test('a ban that ends while it is moved is not moved', async () => {
  const { keys } = await open();
  for (const ttlMs of [0, -2]) {
    await redis.connection.set(nameInAccount, 'a ban', 'PX', 60_000);
    const ended = vi.spyOn(Redis.prototype, 'pttl').mockResolvedValueOnce(ttlMs);
    await keys.moveBan(inAccount, alone);
    expect(ended).toHaveBeenCalledOnce();
    ended.mockRestore();
    expect(await redis.connection.exists(nameAlone)).toBe(0);
  }
});

test('a network that has used up its allowance is refused without asking Redis', async () => {
  const { networks } = await open();
  for (let i = 0; i < 61; i += 1) await networks.take('192.0.2.1');
  await redis.connection.flushall();
  const refused = { outcome: 'denied', reported: { limit: 60, remaining: 0 } };
  expect(await networks.take('192.0.2.1')).toMatchObject(refused);
});

test('while Redis hangs, limits are the shares of a replica, nothing is given back, and an unban holds there at once and in Redis later', async () => {
  await using server = await openRedis();
  const states: string[] = [];
  const { keys, networks } = await open({
    redisUrls: [server.url],
    redisTimeoutMs: 1_000,
    replicas: () => 2,
    addressPerMinute: 5,
    banPolicy: strict,
    onBreaker: (state) => states.push(state),
  });
  const outcomeOfFive = async () => {
    for (let i = 0; i < 4; i += 1) await keys.take(alone);
    return (await keys.take(alone)).outcome;
  };
  expect(await outcomeOfFive()).toBe('banned');
  server.pause();
  expect(await outcomeOfFive()).toBe('banned');
  expect((await networks.take('192.0.2.1')).reported.limit).toBe(3);
  await expect(keys.credit(alone)).rejects.toThrow('Redis does not answer.');
  await keys.unban(alone);
  expect(await keys.take(alone)).toMatchObject({ outcome: 'denied', scope: 'replica' });
  server.resume();
  await until(() => states.at(-1) === 'closed');
  await until(async () => (await keys.look(alone)).bannedUntil === undefined);
});

// Otherwise it would end a later ban, when Redis is back from a later outage.
test('an unban that Redis has missed is repeated once', async () => {
  const { connection } = redis;
  const run = vi.fn((call: () => Promise<unknown>) => call());
  const { unban, repeatMissedUnbans } = createRedisKeyState({
    ...{ redis: connection, breaker: { run: run as CircuitBreaker['run'] } },
    insurance: { unban() {}, empty() {} },
  });
  run.mockRejectedValueOnce(new Error('away'));
  await unban(inAccount);
  for (const bansThatStay of [0, 1]) {
    await connection.set(nameInAccount, 'a ban', 'PX', 60_000);
    repeatMissedUnbans();
    expect(await connection.exists(nameInAccount)).toBe(bansThatStay);
  }
});

test('what was used is given back to a key, whose ban stays, or to an account', async () => {
  const { keys } = await open({ banPolicy: strict });
  const leftOf = async (key: typeof alone) =>
    (await keys.look(key)).windows.map(({ remaining }) => remaining);
  for (const key of [alone, inAccount]) {
    await keys.credit(key);
    for (let i = 0; i < 2; i += 1) await keys.take(key);
    expect(await leftOf(key)).toEqual([0, 99]);
    await keys.credit(key);
    expect(await leftOf(key)).toEqual([1, 100]);
  }
  for (let i = 0; i < 4; i += 1) await keys.take(alone);
  const { bannedUntil } = await keys.look(alone);
  expect(bannedUntil).toBeDefined();
  await keys.credit(alone);
  expect(await keys.look(alone)).toMatchObject({ bannedUntil });
  await keys.unban(alone);
  expect(await leftOf(alone)).toEqual([1, 100]);
});
