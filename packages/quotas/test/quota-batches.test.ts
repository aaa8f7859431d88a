import { expect, test } from 'vitest';
import { useRedis } from './use-redis.ts';

const redis = useRedis();
const quota = { perMinute: 1_000, perDay: 10_000 };

async function open() {
  const quotas = await redis.openQuotas({ networkPerMinute: 1_000 });
  const takeAtOnce = async (ids: readonly string[]) => {
    const decisions = await Promise.all(ids.map((id) => quotas.keys.consume({ id, quota })));
    return decisions.map(({ reported }) => reported.remaining);
  };
  return { quotas, takeAtOnce };
}
const countDown = (from: number, length: number) => Array.from({ length }, (_, i) => from - i);

/** How many commands Redis was sent since `config resetstat`, all of them scripts. */
async function scriptCalls(): Promise<number> {
  const stats = await redis.connection.info('commandstats');
  // What scripts do, and what this test asks.
  const others = stats.match(/(?<=cmdstat_)(?!get|set|incrby|pttl|config|info|evalsha)\w+/g);
  expect(others).toBeNull();
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
}

test('the first request is sent at once, and those behind it share calls of 100 keys', async () => {
  const { quotas, takeAtOnce } = await open();
  // Redis knows the scripts from here on.
  await takeAtOnce(['warm-up']);
  await quotas.networks.take('warm-up');
  await redis.connection.config('RESETSTAT');
  expect(await takeAtOnce(Array(80).fill('one key'))).toEqual(countDown(999, 80));
  expect(await scriptCalls()).toBe(2);
  // Under load, the first one is sent with those that arrive in the same turn of the event loop.
  const ids = Array.from({ length: 301 }, (_, i) => `key ${i}`);
  expect(await takeAtOnce(ids)).toEqual(Array(301).fill(999));
  expect(await scriptCalls()).toBe(2 + 4);
  // A request without a key costs one command.
  await Promise.all(Array.from({ length: 50 }, (_, i) => quotas.networks.take(`network ${i}`)));
  expect(await scriptCalls()).toBe(2 + 4 + 50);
});

test('a batch that Redis has no script for is counted once', async () => {
  const { quotas, takeAtOnce } = await open();
  await takeAtOnce(['key']);
  await redis.connection.script('FLUSH');
  expect(await takeAtOnce(Array(50).fill('key'))).toEqual(countDown(998, 50));
  expect((await quotas.keys.look({ id: 'key', quota })).reported.remaining).toBe(949);
});
