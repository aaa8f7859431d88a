import { openRedisCluster, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openTestQuotas } from './open-test-quotas.ts';

test('while a node of the Redis Cluster is down, each replica decides all requests alone, by the limit divided by the number of replicas', async () => {
  await using cluster = await openRedisCluster();
  const states: string[] = [];
  await using quotas = await openTestQuotas({
    redis: cluster.urls,
    probeEveryMs: 10,
    replicas: () => 2,
    onBreaker: (state) => states.push(state),
  });
  const reasons: unknown[] = [];
  await using idle = await openTestQuotas({
    redis: cluster.urls,
    onBreaker: (_, reason) => reasons.push(reason),
  });
  const [dying, ...others] = cluster.nodes;
  await dying?.kill();
  // In a Redis Cluster, the hash of a Redis key determines the node of the key. So the test sends
  // requests of many API keys until the counts of one key are on the killed node. For such a key,
  // the replica decides alone, and reports half of the limit (30).
  for (let limit: number | undefined, i = 0; limit !== 30; i += 1) {
    const key = { id: `key ${i}`, quota: { perMinute: 60, perDay: 1_000 } };
    const { outcome, reported } = await quotas.keys.consume(key);
    expect(outcome).toBe('admitted');
    limit = reported.limit;
  }
  // A probe must write to every node. Otherwise it would succeed while one node is down, and the
  // breaker would open and close again and again. So the test waits for twenty probes, and the
  // breaker must still be open.
  const setsOf = async () => {
    const stats = await Promise.all(others.map((node) => node.command('info', 'commandstats')));
    return stats.map((it) => Number(/cmdstat_set:calls=(\d+)/.exec(it)?.[1] ?? 0));
  };
  const before = await setsOf();
  await until(async () => (await setsOf()).every((sets, i) => sets > (before[i] ?? 0) + 20));
  expect(states).toEqual(['open']);

  // `idle` is another replica of the service. Its connection to Redis breaks before its first
  // request.
  await Promise.all(others.map((node) => node.kill()));
  await idle.networks.take('203.0.113.7');
  const lostOrRefused = /The connection to Redis was lost|ECONNREFUSED|ECONNRESET/;
  expect(reasons).toMatchObject([{ message: expect.stringMatching(lostOrRefused) }]);
});

test('clockDifferenceMs measures the nodes of a Redis Cluster that respond while a node is down', async () => {
  await using cluster = await openRedisCluster();
  await using quotas = await openTestQuotas({
    redis: cluster.urls,
    now: () => Date.now() + 3_600_000,
  });
  await cluster.nodes[0]?.kill();
  const startedAt = performance.now();
  const differenceMs = await quotas.keys.clockDifferenceMs();
  const roundTripMs = performance.now() - startedAt;
  // Both clocks have a resolution of a millisecond.
  expect(Math.abs(Number(differenceMs) - 3_600_000)).toBeLessThanOrEqual(roundTripMs + 1);
});
