import { defaultBanPolicy } from '@animal-store/contract';
import { freePort, openRedis, openRedisCluster } from '@animal-store/testkit';
import { afterEach, expect, test } from 'vitest';
import { openQuotas } from '../../src/quotas/open-quotas.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { defaultTimings } from '../../src/shared/timings.ts';

let quotas: Awaited<ReturnType<typeof openQuotas>> | undefined;
afterEach(() => quotas?.close());

const decide = () => quotas?.networks.take('203.0.113.7');

/** Opens quotas, does harm to their Redis, and gives the reason that the log then has. */
async function reasonOfOutage(
  redisUrls: readonly string[],
  harm: () => Promise<unknown> = async () => {},
) {
  const opened = Promise.withResolvers<unknown>();
  quotas = await openQuotas({
    clock: systemClock,
    timings: defaultTimings.quotas,
    redisUrls,
    redisTimeoutMs: 5_000,
    replicas: () => 1,
    addressPerMinute: 60,
    banPolicy: defaultBanPolicy,
    onBreaker: (state, reason) => state === 'open' && opened.resolve(reason),
    onBan() {},
  });
  await harm();
  await decide();
  return opened.promise;
}

const lost = { message: 'The connection to Redis was lost.' };
const refused = { message: 'Redis refused the connection.' };
/** Refused if a new connection was tried before the decision, as on a busy machine. */
const lostOrRefused = { message: expect.stringMatching(/lost|refused/) };

test('the reason of an outage is a lost or refused connection when Redis is killed', async () => {
  await using redis = await openRedis();
  expect(await reasonOfOutage([redis.url], redis.kill)).toMatchObject(lostOrRefused);
});

test('the reason of an outage is a lost connection when Redis is killed during a command', async () => {
  await using redis = await openRedis();
  const killDuringCommand = async () => {
    redis.pause();
    await Promise.all([decide(), redis.kill()]);
  };
  expect(await reasonOfOutage([redis.url], killDuringCommand)).toMatchObject(lost);
});

test('the reason of an outage is a refused connection when nothing listens', async () => {
  expect(await reasonOfOutage([`redis://127.0.0.1:${await freePort()}`])).toMatchObject(refused);
});

test('the reason of an outage is what Redis said when it wants another password', async () => {
  await using redis = await openRedis({ args: ['--requirepass', 'another'] });
  expect(await reasonOfOutage([redis.url])).toMatchObject({
    message: expect.stringMatching(/^There is no connection to Redis: NOAUTH /),
  });
});

test('the reason of an outage is a lost or refused connection when a Cluster is killed', async () => {
  await using cluster = await openRedisCluster();
  const killAll = () => Promise.all(cluster.nodes.map((node) => node.kill()));
  expect(await reasonOfOutage(cluster.urls, killAll)).toMatchObject(lostOrRefused);
});
