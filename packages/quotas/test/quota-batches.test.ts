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

/**
 * Returns how many scripts Redis has run since `config resetstat`. Fails if Redis has received
 * other commands.
 */
async function scriptCalls(): Promise<number> {
  const stats = await redis.connection.info('commandstats');
  // The pattern skips the commands that the scripts and this test run. Any other command fails the
  // test.
  const others = stats.match(/(?<=cmdstat_)(?!get|set|incrby|pttl|config|info|evalsha)\w+/g);
  expect(others).toBeNull();
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
}

test('the Redis store sends the first request immediately, and combines later requests into calls for up to 100 API keys', async () => {
  const { quotas, takeAtOnce } = await open();
  // The requests with the name `warm-up` load the scripts into the cache of Redis. Each later
  // script call is a single command, EVALSHA.
  await takeAtOnce(['warm-up']);
  await quotas.networks.take('warm-up');
  await redis.connection.config('RESETSTAT');
  expect(await takeAtOnce(Array(80).fill('one key'))).toEqual(countDown(999, 80));
  expect(await scriptCalls()).toBe(2);
  // Under load, the first call waits for all requests that arrive in the same iteration of the
  // event loop. So the 301 requests need four calls of at most 100 requests.
  const ids = Array.from({ length: 301 }, (_, i) => `key ${i}`);
  expect(await takeAtOnce(ids)).toEqual(Array(301).fill(999));
  expect(await scriptCalls()).toBe(2 + 4);
  // A request of a network, which has no API key, costs one command.
  await Promise.all(Array.from({ length: 50 }, (_, i) => quotas.networks.take(`network ${i}`)));
  expect(await scriptCalls()).toBe(2 + 4 + 50);
});

test('the Redis store counts each request of a batch once, even when Redis has lost the cached script', async () => {
  const { quotas, takeAtOnce } = await open();
  await takeAtOnce(['key']);
  await redis.connection.script('FLUSH');
  expect(await takeAtOnce(Array(50).fill('key'))).toEqual(countDown(998, 50));
  expect((await quotas.keys.look({ id: 'key', quota })).reported.remaining).toBe(949);
});
