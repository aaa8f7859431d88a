import { openRedisCluster, openRedisSentinels, patientQuotas, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createQuotas, RedisRefusalError } from '../src/create-quotas.ts';

const refusal = /^Redis refuses the user or the password \(NOAUTH /;

test('createQuotas rejects with a RedisRefusalError when a Cluster refuses the password', async () => {
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) await node.command('config', 'set', 'requirepass', 'another');
  const opening = createQuotas({ redis: cluster.urls, ...patientQuotas });
  await expect(opening).rejects.toThrow(refusal);
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

test('createQuotas rejects with a RedisRefusalError when the Sentinels point to a primary that refuses the password', async () => {
  await using redis = await openRedisSentinels();
  await redis.primary.command('config', 'set', 'requirepass', 'another');
  const opening = createQuotas({ redis: redis.url, ...patientQuotas });
  await expect(opening).rejects.toThrow(refusal);
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

test('quotas.refusal returns the reason when Redis begins to refuse the password of a service that is already running', async () => {
  await using cluster = await openRedisCluster();
  const quotas = await createQuotas({ redis: cluster.urls, ...patientQuotas });
  expect(quotas.refusal()).toBeUndefined();
  for (const node of cluster.nodes) {
    await node.command('config', 'set', 'requirepass', 'another');
    await node.command('--no-auth-warning', '-a', 'another', 'client', 'kill', 'type', 'normal');
  }
  await until(() => quotas.refusal()?.match(refusal));
  quotas.close();
});

// Regression: the quotas started without Redis, and no message contained the reason.
test('createQuotas rejects with a RedisRefusalError when a Cluster refuses the command CLUSTER INFO', async () => {
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) {
    await node.command(...'acl setuser svc on >pw ~* +@all -cluster|info'.split(' '));
  }
  const redis = cluster.urls.map((url) => url.replace('//', '//svc:pw@'));
  const opening = createQuotas({ redis, ...patientQuotas });
  await expect(opening).rejects.toThrow(
    /^Redis refuses a command that the limits need \(NOPERM .*'cluster\|info' command\)/,
  );
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

// Regression: ioredis used the password only for the nodes that the URLs name.
test('createQuotas uses the password of the given URLs also for nodes of a Redis Cluster that no URL names', async () => {
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) await node.command('config', 'set', 'requirepass', 'secret');
  const redis = cluster.urls.slice(0, 2).map((url) => url.replace('//', '//:secret@'));
  const quotas = await createQuotas({ redis, ...patientQuotas });
  const quota = { perMinute: 1, perDay: 100 };
  // The requests have so many different API keys that every node gets some of the counts.
  for (let i = 0; i < 30; i += 1) {
    expect(await quotas.consume({ id: `key ${i}`, quota })).toMatchObject({ scope: 'service' });
  }
  expect(quotas.refusal()).toBeUndefined();
  quotas.close();
});
