import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { openRedisQuotas } from './open-redis-quotas.ts';
import { suiteOptions } from './quota-subject.ts';
import { useRedis } from './use-redis.ts';

const redis = useRedis();
const startMs = 1_800_000_000_321;
const quota = { perMinute: 1, perDay: 100 };

let now: number;
let quotas: Quotas;

beforeEach(async () => {
  await redis.connection.flushall();
  now = startMs;
  quotas = openRedisQuotas({
    ...suiteOptions,
    // The third denial is a ban of 10 s.
    banPolicy: { ...suiteOptions.banPolicy, graceMs: 0, minStrikes: 1, banSeconds: 10 },
    redis: redis.connection,
    now: () => now,
  });
});

const take = () => quotas.keys.take({ id: 'key', quota });

/** Takes until the key is banned. @param answerMs how long Redis takes to answer with the ban. */
async function beBanned(answerMs = 0): Promise<QuotaDecision> {
  for (let i = 0; i < 3; i += 1) await take();
  const banned = take();
  now += answerMs;
  expect((await banned).outcome).toBe('banned');
  return banned;
}

/** How many script calls Redis has received. */
async function scriptCalls(): Promise<number> {
  const statistics = await redis.connection.info('commandstats');
  return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(statistics)?.[1]);
}

test('a ban is believed for two seconds without asking Redis, which then says whether it goes on', async () => {
  await beBanned();
  await redis.connection.flushall();
  now += 1_999;
  expect(await take()).toMatchObject({ outcome: 'banned', retryAfterSeconds: 9 });
  now += 1;
  expect((await take()).outcome).toBe('admitted');
});

test('requests that arrive after those two seconds share two calls', async () => {
  await beBanned();
  now += 2_000;
  const before = await scriptCalls();
  const results = await Promise.all(Array.from({ length: 100 }, take));
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['banned']));
  expect(await scriptCalls()).toBe(before + 2);
});

// Regression: on a replica that waited long for Redis, a ban lasted longer than another reported.
test('a slow answer neither prolongs a ban nor shortens the reported wait', async () => {
  await beBanned(9_100);
  // Redis decided between 0 and 9.1 s ago.
  now += 899;
  expect(await take()).toMatchObject({ outcome: 'banned', retryAfterSeconds: 10 });
  now += 1;
  expect((await take()).outcome).toBe('denied');
});

test('an unban that another replica made known is believed at once', async () => {
  await beBanned();
  await redis.connection.flushall();
  quotas.keys.unbanHere('key');
  expect((await take()).outcome).toBe('admitted');
});

test('a network that has used up its allowance is refused without asking Redis until its window may be over', async () => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  for (let i = 0; i < 60; i += 1) {
    expect((await quotas.networks.take('192.0.2.1')).outcome).toBe('admitted');
  }
  // By Redis's expiry, so some of the minute may have passed.
  const { retryAfterSeconds } = await quotas.networks.take('192.0.2.1');
  await redis.connection.flushall();
  expect(await quotas.networks.take('192.0.2.1')).toMatchObject({
    outcome: 'denied',
    reported: { limit: 60, remaining: 0 },
    retryAfterSeconds,
  });
  vi.setSystemTime(now + retryAfterSeconds * 1_000);
  expect((await quotas.networks.take('192.0.2.1')).outcome).toBe('admitted');
});
