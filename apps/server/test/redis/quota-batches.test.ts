import { type Redis, openRedis as startRedis, until } from '@animal-store/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { type OpenQuotasOptions, openQuotas } from '../../src/quotas/open-quotas.ts';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { suiteOptions } from '../quotas/quota-subject.ts';

let redis: Redis;
let quotas: Quotas;
let bans: string[];
let breakerStates: string[];

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

beforeEach(async () => {
  await redis.command('flushall');
  bans = [];
  breakerStates = [];
  quotas = await open({ redisTimeoutMs: 60_000 });
});
afterEach(() => quotas.close());

const open = async (options: Pick<OpenQuotasOptions, 'redisTimeoutMs'>) => {
  const opened = await openQuotas({
    ...suiteOptions,
    // Without the grace, denials are strikes at once.
    banPolicy: { ...suiteOptions.banPolicy, graceMs: 0 },
    ...options,
    redisUrls: [redis.url],
    replicas: () => 1,
    onBreaker: (state) => breakerStates.push(state),
    onBan: ({ keyId }) => bans.push(keyId),
  });
  // On a busy machine they may be open before they are connected.
  await until(() => breakerStates.at(-1) !== 'open');
  breakerStates = [];
  return opened;
};

const wide = { perMinute: 1_000, perDay: 10_000 };

const takeAtOnce = (ids: readonly string[], quota = wide): Promise<QuotaDecision[]> =>
  Promise.all(ids.map((id) => quotas.keys.take({ id, quota })));

const remainingOf = (results: readonly QuotaDecision[]) =>
  results.map(({ reported }) => reported.remaining);

/** How many calls of scripts Redis has run since `config resetstat`. */
async function scriptCalls(): Promise<number> {
  const stats = await redis.command('info', 'commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
}

test('the first request is sent at once, and those behind it share one script call', async () => {
  // Redis knows the script from here on.
  await takeAtOnce(['warm-up']);
  await redis.command('config', 'resetstat');
  const results = await takeAtOnce(Array(80).fill('one key'));
  expect(remainingOf(results)).toEqual(Array.from({ length: 80 }, (_, i) => 999 - i));
  expect(await scriptCalls()).toBe(2);

  const ids = Array.from({ length: 80 }, (_, i) => `key ${i % 40}`);
  expect(remainingOf(await takeAtOnce(ids))).toEqual([
    ...Array(40).fill(999),
    ...Array(40).fill(998),
  ]);
  // Under load, the first one is sent with those that arrive in the same turn of the event loop.
  expect(await scriptCalls()).toBe(3);
});

test('a script call has at most 100 keys', async () => {
  await takeAtOnce(['warm-up']);
  await redis.command('config', 'resetstat');
  await takeAtOnce(Array.from({ length: 301 }, (_, i) => `key ${i}`));
  expect(await scriptCalls()).toBe(4);
});

test('a batch can be admitted, denied and banned, each request in order of arrival', async () => {
  const results = await takeAtOnce(Array(20).fill('key'), { perMinute: 5, perDay: 1_000 });
  expect(results.map(({ outcome }) => outcome)).toEqual([
    ...Array(5).fill('admitted'),
    // One that begins the episode, and ten strikes.
    ...Array(11).fill('denied'),
    ...Array(4).fill('banned'),
  ]);
  expect(results.slice(5, 16).map(({ strikes }) => strikes)).toEqual(
    Array.from({ length: 11 }, (_, i) => i),
  );
  expect(bans).toEqual(['key']);
});

test('a change of plan holds from its request on, in the middle of a batch', async () => {
  const plans = [wide, wide, { ...wide, perMinute: 3 }, { ...wide, perMinute: 3 }, wide];
  const results = await Promise.all(plans.map((quota) => quotas.keys.take({ id: 'key', quota })));
  expect(results.map(({ outcome, reported }) => [outcome, reported.remaining])).toEqual([
    ['admitted', 999],
    ['admitted', 998],
    ['admitted', 0],
    ['denied', 0],
    ['admitted', 996],
  ]);
});

test('a batch that Redis has no script for is counted once', async () => {
  await takeAtOnce(['key']);
  await redis.command('script', 'flush');
  const results = await takeAtOnce(Array(50).fill('key'));
  expect(remainingOf(results)).toEqual(Array.from({ length: 50 }, (_, i) => 998 - i));
  expect(
    remainingOf([(await quotas.keys.look({ id: 'key', quota: wide })) as QuotaDecision]),
  ).toEqual([949]);
  expect(breakerStates).toEqual([]);
});

test('requests whose batch is late are decided by the insurance, each once', async () => {
  await quotas.close();
  // Longer than Redis may take on a busy machine.
  quotas = await open({ redisTimeoutMs: 5_000 });
  await takeAtOnce(['warm-up']);
  redis.pause();
  const results = await takeAtOnce(Array(50).fill('key'));
  expect(results.map(({ scope }) => scope)).toEqual(Array(50).fill('replica'));
  // Each number once. They may be in two batches, and nothing tells which of those fails first.
  const remaining = remainingOf(results).sort((a, b) => b - a);
  expect(remaining).toEqual(Array.from({ length: 50 }, (_, i) => 999 - i));
  expect(breakerStates).toEqual(['open']);

  redis.resume();
  await expect.poll(() => breakerStates).toEqual(['open', 'closed']);
  const { windows, scope } = await quotas.keys.look({ id: 'key', quota: wide });
  expect(scope).toBe('service');
  // Redis may have counted the calls that it answered too late, but none of them twice.
  expect(windows[0]?.remaining).toBeGreaterThanOrEqual(950);
});

test('a batch that Redis refuses is decided by the insurance, and Redis counts none of it', async () => {
  await takeAtOnce(['key']);
  await redis.command('config', 'set', 'maxmemory', '1');
  const results = await takeAtOnce(Array(50).fill('key'));
  expect(results.map(({ scope }) => scope)).toEqual(Array(50).fill('replica'));
  // Each number once. They may be in two batches, and nothing tells which of those fails first.
  const remaining = remainingOf(results).sort((a, b) => b - a);
  expect(remaining).toEqual(Array.from({ length: 50 }, (_, i) => 999 - i));

  await redis.command('config', 'set', 'maxmemory', '0');
  await expect.poll(() => breakerStates).toEqual(['open', 'closed']);
  const { windows } = await quotas.keys.look({ id: 'key', quota: wide });
  expect(windows[0]?.remaining).toBe(999);
});
