import { openRedisCluster } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { defaultBanPolicy } from '../src/index.ts';
import { openTestQuotas } from './open-test-quotas.ts';

/** A ban policy with which the third denied request begins a ban. */
const banPolicy = { ...defaultBanPolicy, graceMs: 0, minStrikes: 1 };

// Regression: the ban was lost when the node was down, or when the replica stopped between the two
// commands of a move. The first command deleted the ban under its old Redis key, and the second one
// should have stored it under the new Redis key.
test('in a Redis Cluster, quotas.moveBan keeps the ban under the old Redis key until the ban is stored under the new Redis key', async () => {
  await using cluster = await openRedisCluster();
  const { urls: redis, nodes } = cluster;
  const open = () => openTestQuotas({ redis, banPolicy, onBreaker: () => {} });
  await using quotas = await open();
  const alone = { id: 'key', quota: { perMinute: 1, perDay: 100 } };
  for (let i = 0; i < 4; i += 1) await quotas.keys.consume(alone);
  const { bannedUntil } = await quotas.keys.look(alone);
  expect(bannedUntil).toBeDefined();

  const nodeOf = async (name: string) => {
    const slot = await nodes[0]?.command('cluster', 'keyslot', name);
    return Math.floor((Number(slot) * nodes.length) / 16_384);
  };
  const home = await nodeOf('{key}');
  let inAccount = { ...alone, accountId: 'a' };
  while ((await nodeOf(`{${inAccount.accountId}}`)) === home) {
    inAccount = { ...alone, accountId: `${inAccount.accountId}a` };
  }
  const target = nodes[await nodeOf(`{${inAccount.accountId}}`)];
  // With `maxmemory 1`, the node has no free memory, so it refuses each write.
  await target?.command('config', 'set', 'maxmemory', '1');
  expect(await quotas.keys.moveBan(alone, inAccount)).toBe(false);
  await target?.command('config', 'set', 'maxmemory', '0');

  await using later = await open();
  expect(await later.keys.look(alone)).toMatchObject({ bannedUntil });
  expect(await later.keys.moveBan(alone, inAccount)).toBe(true);
  expect(await later.keys.look(inAccount)).toMatchObject({ bannedUntil });
  expect((await later.keys.look(alone)).bannedUntil).toBeUndefined();
});
