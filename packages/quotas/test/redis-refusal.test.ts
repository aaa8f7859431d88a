import { hangMs, openRedisCluster, openRedisSentinels, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createQuotas, RedisRefusalError } from '../src/create-quotas.ts';

const refusal = /^Redis refuses the user or the password \(NOAUTH /;

test('createQuotas rejects with a sentence when a Cluster refuses the password', async () => {
  await using cluster = await openRedisCluster();
  for (const node of cluster.nodes) await node.command('config', 'set', 'requirepass', 'another');
  const opening = createQuotas({ redis: cluster.urls, firstConnectionTimeoutMs: hangMs });
  await expect(opening).rejects.toThrow(refusal);
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

test('createQuotas rejects with a readable message when the primary that the Sentinels name refuses the password', async () => {
  await using redis = await openRedisSentinels();
  await redis.primary.command('config', 'set', 'requirepass', 'another');
  const opening = createQuotas({ redis: redis.url, firstConnectionTimeoutMs: hangMs });
  await expect(opening).rejects.toThrow(refusal);
  await expect(opening).rejects.toBeInstanceOf(RedisRefusalError);
});

test('refusal returns why Redis refuses a running replica', async () => {
  await using cluster = await openRedisCluster();
  const quotas = await createQuotas({ redis: cluster.urls, firstConnectionTimeoutMs: hangMs });
  expect(quotas.refusal()).toBeUndefined();
  for (const node of cluster.nodes) {
    await node.command('config', 'set', 'requirepass', 'another');
    await node.command('--no-auth-warning', '-a', 'another', 'client', 'kill', 'type', 'normal');
  }
  await until(() => quotas.refusal()?.match(refusal));
  quotas.close();
});
