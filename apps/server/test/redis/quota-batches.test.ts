import { type Redis, openRedis as startRedis } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { openTestQuotas } from '../quotas/open-test-quotas.ts';

let redis: Redis;
let quotas: Quotas;

beforeAll(async () => {
  redis = await startRedis();
  quotas = await openTestQuotas({ redisUrls: [redis.url], addressPerMinute: 1_000 });
  return async () => {
    quotas.close();
    await redis[Symbol.asyncDispose]();
  };
});

const quota = { perMinute: 1_000, perDay: 10_000 };
const takeAtOnce = (ids: readonly string[]) =>
  Promise.all(ids.map((id) => quotas.keys.take({ id, quota })));
const remainingOf = (decisions: Awaited<ReturnType<typeof takeAtOnce>>) =>
  decisions.map(({ reported }) => reported.remaining);
const countDown = (from: number, length: number) => Array.from({ length }, (_, i) => from - i);

/** How many commands Redis was sent since `config resetstat`, all of them scripts. */
async function scriptCalls(): Promise<number> {
  const stats = await redis.command('info', 'commandstats');
  // What scripts do, and what this test asks.
  const others = stats.match(/(?<=cmdstat_)(?!get|set|incrby|pttl|config|info|evalsha)\w+/g);
  expect(others).toBeNull();
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
}

test('the first request is sent at once, and those behind it share one script call', async () => {
  // Redis knows the script from here on.
  await takeAtOnce(['warm-up']);
  await redis.command('config', 'resetstat');
  expect(remainingOf(await takeAtOnce(Array(80).fill('one key')))).toEqual(countDown(999, 80));
  expect(await scriptCalls()).toBe(2);

  const ids = Array.from({ length: 80 }, (_, i) => `key ${i % 40}`);
  const remaining = [...Array(40).fill(999), ...Array(40).fill(998)];
  expect(remainingOf(await takeAtOnce(ids))).toEqual(remaining);
  // Under load, the first one is sent with those that arrive in the same turn of the event loop.
  expect(await scriptCalls()).toBe(3);

  // A call has at most 100 keys.
  await takeAtOnce(Array.from({ length: 301 }, (_, i) => `another key ${i}`));
  expect(await scriptCalls()).toBe(3 + 4);
});

test('a request without a key costs one command', async () => {
  await quotas.networks.take('warm-up');
  await redis.command('config', 'resetstat');
  await Promise.all(Array.from({ length: 50 }, (_, i) => quotas.networks.take(`network ${i}`)));
  expect(await scriptCalls()).toBe(50);
});

test('a batch that Redis has no script for is counted once', async () => {
  await takeAtOnce(['key']);
  await redis.command('script', 'flush');
  expect(remainingOf(await takeAtOnce(Array(50).fill('key')))).toEqual(countDown(998, 50));
  expect((await quotas.keys.look({ id: 'key', quota })).reported.remaining).toBe(949);
});
