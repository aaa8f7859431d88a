import { openRedis as startRedis } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { openRedis, untilReady } from '../src/open-redis.ts';

// Under TLS, a refused certificate is an error, and the alert of the other side may be a second one.
test('two errors of one connection to Redis do not end the process', async () => {
  await using server = await startRedis();
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, { ms: 10_000 });
  if (!(redis instanceof Redis)) throw new TypeError('One URL is no Cluster.');
  const { stream } = redis;
  stream.emit('error', new Error('certificate has expired'));
  // Throws if nobody listens, as it does when the socket emits it.
  stream.emit('error', new Error('tlsv1 alert decode error'));
  expect(await redis.ping()).toBe('PONG');
});

test('Redis is called again four times a second; by rediss+sentinel, all are called by TLS', () => {
  const redis = openRedis(['rediss+sentinel://127.0.0.1:1/name'], {
    connectTimeoutMs: 1_000,
    name: 'test',
  });
  redis.disconnect();
  const { retryStrategy, ...options } = redis.options as Redis['options'];
  expect([1, 4, 1_000].map((attempt) => retryStrategy?.(attempt))).toEqual([50, 200, 250]);
  expect(options).toMatchObject({ tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true });
});
