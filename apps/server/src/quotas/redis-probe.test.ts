import { openRedisSentinels, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openRedis } from './open-redis.ts';
import { createRedisProbe } from './redis-probe.ts';

test('the search for the primary goes on for as long as its Sentinels are away', async () => {
  await using server = await openRedisSentinels();
  await Promise.all(server.sentinels.map((sentinel) => sentinel.kill()));
  const redis = openRedis([server.url], 1_000);
  try {
    const probe = createRedisProbe(redis, {
      timeoutMs: 5_000,
      connectTimeoutMs: 1_000,
    });
    let asked = 0;
    redis.on('sentinelError', () => {
      asked += 1;
    });
    const isFound = () => probe().then(() => true);
    // Longer than the probe leaves a connection in the same state: ioredis asks all three in turn, and after
    // each turn waits 50 ms more than before.
    await until(async () => asked > 40 || (await isFound()));
    expect(redis.status).not.toBe('ready');

    await Promise.all(server.sentinels.map((sentinel) => sentinel.restart()));
    await until(isFound);
    expect(await redis.ping()).toBe('PONG');
  } finally {
    redis.disconnect();
  }
});
