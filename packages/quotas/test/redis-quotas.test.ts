import { createTestClock } from '@animal-store/runtime/test-clock';
import { openRedis, until } from '@animal-store/testkit';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { defaultBanPolicy } from '../src/index.ts';
import type { TestOptions } from './open-test-quotas.ts';
import { startMs } from './open-test-quotas.ts';
import { useRedis } from './use-redis.ts';

// The tests in `quota-rule.test.ts` examine the rules of decisions for every store. The tests in
// this file examine only the store in Redis.

const redis = useRedis();
let now: number;
beforeEach(async () => {
  now = startMs;
  await redis.connection.flushall();
});

const open = (options: TestOptions = {}) => redis.openQuotas({ now: () => now, ...options });

/** A ban policy with which the third denied request begins a ban. */
const strict = { ...defaultBanPolicy, graceMs: 0, minStrikes: 1 };
const alone = { id: 'key', quota: { perMinute: 1, perDay: 100 } };
const inAccount = { ...alone, accountId: 'account' };
const [nameAlone, nameInAccount] = [
  'animal-store:key:{key}',
  'animal-store:account:{account}:ban:key',
];

test('Redis decides by its own clock, even when the clock of the replica differs', async () => {
  const quotas = await open({ clock: createTestClock(0), redisClock: undefined });
  const minuteAfter = async () => Number((await redis.connection.time())[0]) + 60;
  const earliest = await minuteAfter();
  const { resetAt } = (await quotas.keys.consume(alone)).reported;
  expect(resetAt).toBeGreaterThanOrEqual(earliest);
  expect(resetAt).toBeLessThanOrEqual((await minuteAfter()) + 1);
});

test('clockDifferenceMs says how far the clock of this process is behind the clock of Redis', async () => {
  const { keys } = await open({ now: () => Date.now() - 3_600_000 });
  const startedAt = performance.now();
  const differenceMs = await keys.clockDifferenceMs();
  const roundTripMs = performance.now() - startedAt;
  // Both clocks have a resolution of a millisecond.
  expect(Math.abs(Number(differenceMs) + 3_600_000)).toBeLessThanOrEqual(roundTripMs + 1);
});

test('a ban keeps its time to live in Redis when the banned API key joins or leaves an account', async () => {
  const { connection } = redis;
  const { keys } = await open({ banPolicy: strict });
  const hoursLeft = async (name: string) => Math.round((await connection.pttl(name)) / 3_600_000);
  await keys.consume(alone);
  now += 3_600_000;
  await connection.pexpire(nameAlone, 23 * 3_600_000);
  for (let i = 0; i < 4; i += 1) await keys.consume(alone);
  expect(await hoursLeft(nameAlone)).toBe(24);
  await keys.moveBan(alone, inAccount);
  expect(await hoursLeft(nameInAccount)).toBe(24);
  await connection.pexpire(nameAlone, 3_600_000);
  await keys.moveBan(inAccount, alone);
  expect(await hoursLeft(nameAlone)).toBe(24);
  // The API key now leaves its account while Redis stores nothing under the Redis key that the API
  // key has without an account. This happens with an API key that has always had an account.
  await keys.moveBan(alone, inAccount);
  await connection.del(nameAlone);
  await keys.moveBan(inAccount, alone);
  expect(await hoursLeft(nameAlone)).toBe(24);
});

test('quotas.moveBan deletes the ban under the old Redis key, and a second call of moveBan changes nothing', async () => {
  const { keys } = await open({ banPolicy: strict });
  for (let i = 0; i < 4; i += 1) await keys.consume(alone);
  await keys.moveBan(alone, inAccount);
  const { bannedUntil } = await keys.look(inAccount);
  expect(bannedUntil).toBeDefined();
  expect((await keys.look(alone)).bannedUntil).toBeUndefined();
  await keys.moveBan(alone, inAccount);
  expect(await keys.look(inAccount)).toMatchObject({ bannedUntil });
});

// Regression: for a ban of five minutes, the audit log contained an end that was a day too late.
test('when the clock has been set back by a day, quotas.unban and quotas.look still report that the ban ends less than an hour from now', async () => {
  const { keys } = await open({ banPolicy: strict });
  for (let i = 0; i < 4; i += 1) await keys.consume(alone);
  now -= 86_400_000;
  const { bannedUntil } = await keys.look(alone);
  expect(bannedUntil).toBeLessThan(now / 1_000 + 3_600);
  expect(await keys.unban(alone)).toEqual({ strikes: 0, bannedUntil });
});

// Regression: the ban was lost. The script deleted it under its old Redis key, and then Redis
// refused to store it under the new one.
test('quotas.moveBan sets an expiry in Redis when the old Redis key of the ban has none', async () => {
  const { connection } = redis;
  const { keys } = await open({ banPolicy: strict });
  for (let i = 0; i < 4; i += 1) await keys.consume(alone);
  await connection.persist(nameAlone);
  await keys.moveBan(alone, inAccount);
  expect((await keys.look(inAccount)).bannedUntil).toBeDefined();
  expect(await connection.pttl(nameInAccount)).toBeGreaterThan(0);
});

test('quotas.unban ends the ban of an API key that joins or leaves an account at the same time', async () => {
  const { keys } = await open({ banPolicy: strict });
  for (let round = 0; round < 30; round += 1) {
    const own = { ...alone, id: `moves ${round}` };
    const shared = { ...own, accountId: 'account' };
    for (let i = 0; i < 4; i += 1) await keys.consume(own);
    if (round % 2 === 1) await keys.moveBan(own, shared);
    const [from, to] = round % 2 === 0 ? [own, shared] : [shared, own];
    const acts = [() => keys.moveBan(from, to), () => keys.unban(shared)];
    if (round % 3 === 0) acts.reverse();
    await Promise.all(acts.map((act) => act()));
    const left = await Promise.all([own, shared].map((key) => keys.look(key)));
    expect(left.map(({ bannedUntil }) => bannedUntil)).toEqual([undefined, undefined]);
  }
});

test('quotas.unban returns the strikes (denied requests) or the ban that it has deleted, and returns nothing at the next call', async () => {
  const { keys } = await open({ banPolicy: strict });
  const nothing = { strikes: 0, bannedUntil: undefined };
  for (const consumer of [alone, inAccount]) {
    for (let i = 0; i < 3; i += 1) await keys.consume(consumer);
    expect(await keys.unban(inAccount)).toEqual({ ...nothing, strikes: 1 });
    for (let i = 0; i < 3; i += 1) await keys.consume(consumer);
    const { bannedUntil } = await keys.look(consumer);
    expect(bannedUntil).toBeGreaterThan(now / 1_000);
    expect(await keys.unban(inAccount)).toEqual({ strikes: 0, bannedUntil });
    expect(await keys.unban(inAccount)).toEqual(nothing);
    for (let i = 0; i < 3; i += 1) await keys.consume(consumer);
    now += 24 * 3_600_000;
    expect(await keys.unban(inAccount)).toEqual(nothing);
  }
});

test('quotas.credit, which resets the request counts of an API key, keeps a ban that begins at the same time', async () => {
  const { keys } = await open({ banPolicy: strict });
  for (let round = 0; round < 30; round += 1) {
    const own = { ...alone, id: `credited ${round}` };
    for (let i = 0; i < 3; i += 1) await keys.consume(own);
    const acts = [() => keys.consume(own), () => keys.credit(own)];
    if (round % 3 === 0) acts.reverse();
    const [first, second] = await Promise.all(acts.map((act) => act()));
    const decision = first ?? second;
    const { bannedUntil } = await keys.look(own);
    expect(bannedUntil !== undefined).toBe(decision?.outcome === 'banned');
  }
});

test('the stored strikes (denied requests) of an API key in an account expire with the window of the account, and are deleted when a request is admitted', async () => {
  const { keys } = await open();
  await keys.consume(inAccount);
  await keys.consume(inAccount);
  // The state expires after two minutes: the minute of the window, and one more minute, because the
  // test uses a fake clock (see `decide.lua`).
  expect(Math.round((await redis.connection.pttl(nameInAccount)) / 60_000)).toBe(2);
  now += 60_000;
  await keys.consume(inAccount);
  expect(await redis.connection.exists(nameInAccount)).toBe(0);
});

// Regression: `PTTL` uses the clock of the machine. After the clock was set back by an hour, a
// used-up minute stayed full for an hour. The test simulates this with `pexpire`, which lets the
// window end an hour later.
test('the quota of a network admits requests again after the clock of Redis was set back by an hour', async () => {
  const { networks } = await open({ networkPerMinute: 1 });
  const other = await open({ networkPerMinute: 1 });
  await networks.take('caller');
  await redis.connection.pexpire('animal-store:allowance:network:caller', 3_656_000);
  const { outcome, reported } = await other.networks.take('caller');
  expect(outcome).toBe('admitted');
  expect(reported.resetInSeconds).toBeLessThanOrEqual(60);
  expect((await other.networks.take('caller')).outcome).toBe('denied');
});

// Regression: the replica deleted the count in Redis, so each jump of its clock gave each network a
// further quota on all replicas.
test('the quota of a network stays used up after the clock of a replica was set back by an hour', async () => {
  const { networks } = await open({ networkPerMinute: 1 });
  await networks.take('caller');
  expect((await networks.take('caller')).outcome).toBe('denied');
  vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { outcome, reported } = await networks.take('caller');
  expect(outcome).toBe('denied');
  expect(reported.resetInSeconds).toBeLessThanOrEqual(60);
});

test('quotas.moveBan keeps the ban under the new Redis key if that ban ends later than the moved ban', async () => {
  const { keys } = await open({ banPolicy: strict });
  for (let i = 0; i < 2; i += 1) await keys.consume(alone);
  for (let i = 0; i < 4; i += 1) await keys.consume(inAccount);
  const { bannedUntil } = await keys.look(inAccount);
  expect(bannedUntil).toBeDefined();
  await keys.moveBan(alone, inAccount);
  expect((await keys.look(inAccount)).bannedUntil).toBe(bannedUntil);
  await keys.moveBan(inAccount, alone);
  expect((await keys.look(alone)).bannedUntil).toBe(bannedUntil);
  expect((await keys.look(inAccount)).bannedUntil).toBeUndefined();
});

test('a network that has used up its quota is refused without a command to Redis', async () => {
  const { networks } = await open();
  for (let i = 0; i < 61; i += 1) await networks.take('192.0.2.1');
  await redis.connection.flushall();
  const refused = { outcome: 'denied', reported: { limit: 60, remaining: 0 } };
  expect(await networks.take('192.0.2.1')).toMatchObject(refused);
});

test('while Redis does not respond, each replica admits an equal share of the limit, and the methods `credit` and `unban` reject', async () => {
  await using server = await openRedis();
  const states: string[] = [];
  const { keys, networks } = await open({
    redis: [server.url],
    timeoutMs: 1_000,
    replicas: () => 2,
    networkPerMinute: 5,
    banPolicy: strict,
    onBreaker: (state) => states.push(state),
  });
  const outcomeOfFive = async () => {
    for (let i = 0; i < 4; i += 1) await keys.consume(alone);
    return (await keys.consume(alone)).outcome;
  };
  expect(await outcomeOfFive()).toBe('banned');
  server.pause();
  expect(await outcomeOfFive()).toBe('banned');
  expect((await networks.take('192.0.2.1')).reported.limit).toBe(3);
  await expect(keys.credit(alone)).rejects.toThrow('Redis does not respond.');
  await expect(keys.unban(alone)).rejects.toThrow('Redis does not respond.');
  expect(await outcomeOfFive()).toBe('banned');
  server.resume();
  await until(() => states.at(-1) === 'closed');
  expect((await keys.look(alone)).bannedUntil).toBeDefined();
});

test('quotas.credit resets the request counts of an API key or an account, and keeps a ban', async () => {
  const { keys } = await open({ banPolicy: strict });
  const leftOf = async (key: typeof alone) =>
    (await keys.look(key)).windows.map(({ remaining }) => remaining);
  for (const key of [alone, inAccount]) {
    await keys.credit(key);
    for (let i = 0; i < 2; i += 1) await keys.consume(key);
    expect(await leftOf(key)).toEqual([0, 99]);
    await keys.credit(key);
    expect(await leftOf(key)).toEqual([1, 100]);
  }
  for (let i = 0; i < 4; i += 1) await keys.consume(alone);
  const { bannedUntil } = await keys.look(alone);
  expect(bannedUntil).toBeDefined();
  await keys.credit(alone);
  expect(await keys.look(alone)).toMatchObject({ bannedUntil });
  await keys.unban(alone);
  expect(await leftOf(alone)).toEqual([1, 100]);
});
