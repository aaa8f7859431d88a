import { once } from 'node:events';
import { freePort, openRedis as startRedis } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openRedis, untilReady } from '../src/open-redis.ts';
import { watchForReason } from '../src/outage-reason.ts';
import { openTestQuotas } from './open-test-quotas.ts';

// The tests of this file break the connection to Redis during a command. `cluster-outage.test.ts`
// tests a connection that breaks before a command.
test('the callback `onBreaker` reports the lost connection as the reason of an outage when Redis is killed during a command', async () => {
  await using redis = await startRedis();
  const opened = Promise.withResolvers<unknown>();
  await using quotas = await openTestQuotas({
    redis: [redis.url],
    onBreaker: (state, why) => state === 'open' && opened.resolve(why),
  });
  redis.pause();
  await Promise.all([quotas.networks.take('203.0.113.7'), redis.kill()]);
  const message = expect.stringMatching(/lost|ECONNRESET|EPIPE/);
  expect(await opened.promise).toMatchObject({ message });
});

test('watchForReason returns the error of a refused connection, or the error that Redis has sent', async () => {
  const port = await freePort();
  await using server = await startRedis({ args: ['--requirepass', 'another'] });
  for (const [url, message] of [
    [`redis://127.0.0.1:${port}`, new RegExp(`^connect ECONNREFUSED 127.0.0.1:${port}$`)],
    [server.url, /^NOAUTH /],
  ] as const) {
    const redis = openRedis([url], { connectTimeoutMs: 5_000, name: 'test' });
    const reasonOf = watchForReason(redis);
    await once(redis, 'error');
    redis.disconnect();
    expect(reasonOf(undefined)).toMatchObject({ message: expect.stringMatching(message) });
  }
});

// Regression: the log contained "Connection is closed.".
test('watchForReason returns the reason of a Sentinel and of a node of a Redis Cluster that cannot be reached', async () => {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  for (const [urls, message] of [
    [
      [`redis+sentinel://${host}/mymaster`],
      `All sentinels are unreachable. Retrying from scratch after 50ms. Last error: connect ECONNREFUSED ${host}`,
    ],
    [[`redis://${host}`, `redis://${host}`], `connect ECONNREFUSED ${host}`],
  ] as const) {
    const redis = openRedis(urls, { connectTimeoutMs: 5_000, name: 'test' });
    const reasonOf = watchForReason(redis);
    await once(redis, 'error');
    redis.disconnect();
    expect(reasonOf(undefined)).toMatchObject({ message });
  }
});

// Regression: the log contained "Stream isn't writeable and enableOfflineQueue options is false".
test('watchForReason reports the lost connection when a command fails before ioredis has noticed the end of the connection', async () => {
  await using server = await startRedis();
  const redis = openRedis([server.url], { connectTimeoutMs: 5_000, name: 'test' });
  const reasonOf = watchForReason(redis);
  await untilReady(redis, { ms: 10_000 });
  if (!(redis instanceof Redis)) throw new TypeError('One URL is no Cluster.');
  redis.stream.destroy();
  const reason = await redis.ping().catch(reasonOf);
  redis.disconnect();
  expect(reason).toMatchObject({ message: 'The connection to Redis was lost.' });
});
