import { beforeAll, expect, test } from 'vitest';
import { openRedisCluster, type RedisCluster } from './redis-cluster.ts';

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await openRedisCluster();
  return () => cluster[Symbol.asyncDispose]();
});

test('a cluster serves all slots from three masters', async () => {
  expect(cluster.urls).toHaveLength(3);
  for (const node of cluster.nodes) {
    const info = await node.command('cluster', 'info');
    expect(info).toContain('cluster_state:ok');
    expect(info).toContain('cluster_slots_assigned:16384');
    expect(info).toContain('cluster_size:3');
  }
});

test('a key is on one node, and the other nodes redirect to it', async () => {
  const replies = await Promise.allSettled(
    cluster.nodes.map((node) => node.command('set', 'animal', 'Rex')),
  );

  const done = replies.filter((it) => it.status === 'fulfilled');
  const moved = replies.filter((it) => it.status === 'rejected');
  expect(done).toMatchObject([{ value: 'OK' }]);
  for (const { reason } of moved) expect(reason.message + reason.stdout).toContain('MOVED');
  expect(moved).toHaveLength(2);
});
