import { type Redis, openRedis as startRedis, until } from '@animal-store/testkit';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openQuotas, type Quotas } from '../../src/quotas/open-quotas.ts';
import { quotaOptions } from '../quotas/quota-options.ts';

let redis: Redis;
let quotas: Quotas;
let breakerStates: string[];

beforeAll(async () => {
  redis = await startRedis();
  return () => redis.close();
});
beforeEach(async () => {
  await redis.command('flushall');
  quotas = await open(60_000);
});
afterEach(() => quotas.close());

async function open(redisTimeoutMs: number): Promise<Quotas> {
  breakerStates = [];
  const opened = await openQuotas({
    ...quotaOptions(),
    redisTimeoutMs,
    redisUrls: [redis.url],
    replicas: () => 1,
    onBreaker: (state) => breakerStates.push(state),
    onBan() {},
  });
  // They may be open before they are connected.
  await until(() => breakerStates.at(-1) !== 'open');
  breakerStates = [];
  return opened;
}

const quota = { perMinute: 1_000, perDay: 10_000 };
const takeAtOnce = (ids: readonly string[]) =>
  Promise.all(ids.map((id) => quotas.keys.take({ id, quota })));
const remainingOf = (decisions: Awaited<ReturnType<typeof takeAtOnce>>) =>
  decisions.map(({ reported }) => reported.remaining);
const countDown = (from: number, length: number) => Array.from({ length }, (_, i) => from - i);

/** How many calls of scripts Redis has run since `config resetstat`. */
async function scriptCalls(): Promise<number> {
  const stats = await redis.command('info', 'commandstats');
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

test('a batch that Redis has no script for is counted once', async () => {
  await takeAtOnce(['key']);
  await redis.command('script', 'flush');
  expect(remainingOf(await takeAtOnce(Array(50).fill('key')))).toEqual(countDown(998, 50));
  expect((await quotas.keys.look({ id: 'key', quota })).reported.remaining).toBe(949);
  expect(breakerStates).toEqual([]);
});

const faults = {
  // Redis may have counted the calls that it answered too late, but none of them twice.
  late: { begin: () => redis.pause(), end: () => redis.resume(), leastLeft: 949 },
  refused: {
    begin: () => redis.command('config', 'set', 'maxmemory', '1'),
    end: () => redis.command('config', 'set', 'maxmemory', '0'),
    leastLeft: 999,
  },
};

test.each(Object.entries(faults))(
  'requests whose batch is %s are decided by the insurance, each once',
  async (_, { begin, end, leastLeft }) => {
    quotas.close();
    quotas = await open(2_000);
    await takeAtOnce(['key']);
    await begin();
    const decisions = await takeAtOnce(Array(50).fill('key'));
    expect(new Set(decisions.map(({ scope }) => scope))).toEqual(new Set(['replica']));
    // They may be in two batches, and nothing tells which of those fails first.
    expect(remainingOf(decisions).sort((a, b) => b - a)).toEqual(countDown(999, 50));
    expect(breakerStates).toEqual(['open']);

    await end();
    await until(() => breakerStates.at(-1) === 'closed');
    const { windows, scope } = await quotas.keys.look({ id: 'key', quota });
    expect(scope).toBe('service');
    expect(windows[0]?.remaining).toBeGreaterThanOrEqual(leastLeft);
    expect(windows[0]?.remaining).toBeLessThanOrEqual(999);
  },
);
