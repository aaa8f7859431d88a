import { openRedisSentinels, openRedis as startRedis, until } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { openRedis, untilReady } from '../src/open-redis.ts';

// When TLS refuses a certificate, the socket emits an error. The TLS alert that the server sends
// may cause a second error, for which ioredis has no listener (issue 1183 of ioredis).
test('openRedis keeps the process alive when one connection emits two errors', async () => {
  await using server = await startRedis();
  const redis = openRedis([server.url], { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, { ms: 10_000 });
  if (!(redis instanceof Redis)) throw new TypeError('One URL is no Cluster.');
  const { stream } = redis;
  stream.emit('error', new Error('certificate has expired'));
  // Without a listener for the second error, `emit` would throw. On a real socket, the second error
  // would end the process.
  stream.emit('error', new Error('tlsv1 alert decode error'));
  expect(await redis.ping()).toBe('PONG');
});

test('openRedis waits at most 250 ms before it reconnects, 10 s for a Sentinel, and uses TLS for Sentinels and Redis with a URL rediss+sentinel', () => {
  const redis = openRedis(['rediss+sentinel://127.0.0.1:1/name'], {
    connectTimeoutMs: 1_000,
    name: 'test',
  });
  redis.disconnect();
  const { retryStrategy, sentinelReconnectStrategy, ...options } =
    redis.options as Redis['options'];
  expect([1, 4, 1_000].map((attempt) => retryStrategy?.(attempt))).toEqual([50, 200, 250]);
  expect([1, 2, 9].map((attempt) => sentinelReconnectStrategy?.(attempt))).toEqual([
    ...[2_000, 4_000, 10_000],
  ]);
  expect(options).toMatchObject({ tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true });
});

// Regression: ioredis opens the connection to a lost Sentinel again only after a minute. After a
// restart of the Sentinels, a failover was not noticed while the old primary still accepted writes.
test('a connection follows a failover that comes after a restart of all Sentinels, although the old primary still accepts writes', async () => {
  await using servers = await openRedisSentinels();
  const { primary, replica, sentinels } = servers;
  const redis = openRedis(servers.url, { connectTimeoutMs: 1_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, { ms: 10_000 });
  // The Sentinels cannot change this primary into a replica, as if the network between them were
  // interrupted.
  await primary.command('acl', 'setuser', 'default', '-slaveof', '-replicaof');
  const isListeningTo = async (sentinel: (typeof sentinels)[number]) =>
    (await sentinel.command('client', 'list')).includes('cmd=subscribe');
  for (const sentinel of sentinels) await until(() => isListeningTo(sentinel));
  await Promise.all(sentinels.map((sentinel) => sentinel.restart()));
  for (const sentinel of sentinels) await until(() => isListeningTo(sentinel));
  // The restarted Sentinels refuse a failover until they have found the replica again.
  await until(() =>
    sentinels[0]?.command('sentinel', 'failover', 'mymaster').then(
      () => true,
      () => false,
    ),
  );
  await until(async () => (await replica.command('client', 'list')).includes(' name=test '));
});

// Regression: ioredis let the parameters of a URL replace the options that the quotas need, so
// commands waited in a queue during an outage, and Redis might count them later.
test('the parameters of a URL do not replace the options that the quotas need', () => {
  const parameters = '?enableOfflineQueue=true&stringNumbers=true&family=4';
  const redis = openRedis(`redis://127.0.0.1:1/3${parameters}`, {
    connectTimeoutMs: 1_000,
    name: 'test',
  });
  redis.disconnect();
  expect(redis.options).toMatchObject({
    ...{ enableOfflineQueue: false, stringNumbers: false, db: 3, family: 4 },
  });
});
