import { openRedisCluster, until } from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openRedis } from '../src/open-redis.ts';
import { ask, createCallers, expectCountedOnce, sharedLimitOptions } from './counting-callers.ts';
import type { TestQuotas } from './open-test-quotas.ts';
import { openTestQuotas } from './open-test-quotas.ts';

// While a slot moves to another node, the old node responds with ASK to requests for Redis keys
// that have already moved. When the whole slot has moved, the old node responds with MOVED.
test('a Redis Cluster counts each request once while the slots of the Redis keys move between nodes', async () => {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openRedisCluster());
  const nodes = await Promise.all(
    cluster.nodes.map(async ({ url }) => {
      const client = new Redis(url);
      stack.defer(() => client.disconnect());
      return { client, id: String(await client.cluster('MYID')) };
    }),
  );
  /** The reasons for which a breaker has opened. */
  const failures: unknown[] = [];
  let breakersOpen = 0;
  const replicas: TestQuotas[] = [];
  for (const _ of 'ab') {
    const quotas = await openTestQuotas({
      ...sharedLimitOptions,
      redis: cluster.urls,
      onBreaker(state, reason) {
        breakersOpen += state === 'open' ? 1 : -1;
        if (state === 'open') failures.push(reason);
      },
    });
    replicas.push(stack.use(quotas));
  }
  // At first, a circuit breaker may be open, because the connections to some nodes are not ready
  // yet. So the test waits until every breaker is closed.
  await until(() => breakersOpen === 0);
  failures.length = 0;
  const connection = openRedis(cluster.urls, { connectTimeoutMs: 10_000, name: 'test' });
  stack.defer(() => connection.disconnect());
  const [directQuotas] = replicas as [TestQuotas];
  const callers = await createCallers(directQuotas, { connection, count: 6, countGap: 200 });

  const random = createSeededRandom(1);
  /** Sends requests of all callers through both replicas. */
  async function load(): Promise<void> {
    const requests: Promise<void>[] = [];
    for (const quotas of replicas) {
      for (const caller of callers) {
        for (let n = random() * 5; n > 0; n -= 1) requests.push(ask(caller, quotas));
      }
    }
    await Promise.all(requests);
  }
  /**
   * Moves the slot of a Redis key to the next node under load, in the same steps as `redis-cli
   * --cluster reshard`.
   */
  async function move(name: string): Promise<void> {
    const slot = await connection.cluster('KEYSLOT', name);
    const ownerOf = async ({ client }: (typeof nodes)[number]) =>
      (await client.cluster('COUNTKEYSINSLOT', slot)) > 0;
    const from = (await Promise.all(nodes.map(ownerOf))).indexOf(true);
    const [source, target] = [nodes[from], nodes[(from + 1) % nodes.length]];
    if (source === undefined || target === undefined) throw new Error(`No node has ${name}.`);
    await target.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    await load();
    const { port } = target.client.options;
    await source.client.call('MIGRATE', '127.0.0.1', String(port), name, 0, 60_000);
    await load();
    for (const { client } of [target, source, ...nodes]) {
      await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
      await load();
    }
  }
  await load();
  for (const { name } of callers) await move(name);

  const stats = await Promise.all(nodes.map(({ client }) => client.info('errorstats')));
  for (const error of ['ASK', 'MOVED']) expect(stats.join()).toContain(`errorstat_${error}:`);
  expect(failures).toEqual([]);
  for (const { name, sent, reportedCounts } of callers)
    expect(reportedCounts.length, name).toBe(sent);
  await expectCountedOnce(callers, directQuotas);
});
