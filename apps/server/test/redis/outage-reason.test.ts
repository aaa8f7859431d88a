import { once } from 'node:events';
import { freePort, openRedisCluster, openRedis as startRedis } from '@animal-store/testkit';
import { afterEach, expect, test } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { openRedis } from '../../src/quotas/open-redis.ts';
import { watchForReason } from '../../src/quotas/without-redis.ts';
import { defaultTimings } from '../../src/shared/timings.ts';
import { openTestQuotas } from '../quotas/open-test-quotas.ts';

let quotas: Quotas | undefined;
afterEach(() => quotas?.close());

const decide = () => quotas?.networks.take('203.0.113.7');

/** Opens quotas, does harm to their Redis, and gives the reason that the log then has. */
async function reasonOfOutage(redisUrls: readonly string[], harm: () => Promise<unknown>) {
  const opened = Promise.withResolvers<string>();
  quotas = await openTestQuotas({
    timings: { ...defaultTimings.quotas, firstConnectionTimeoutMs: 10_000 },
    redisUrls,
    redisTimeoutMs: 5_000,
    onBreaker: (state, reason) => state === 'open' && opened.resolve((reason as Error).message),
  });
  await harm();
  await decide();
  return opened.promise;
}

/** Which of both depends on whether a new connection was tried before the decision. */
const lostOrRefused = /The connection to Redis was lost|ECONNREFUSED|ECONNRESET/;

test('a connection is refused or lost when Redis is killed', async () => {
  await using redis = await startRedis();
  expect(await reasonOfOutage([redis.url], redis.kill)).toMatch(lostOrRefused);
});

test('a connection is lost when Redis is killed during a command', async () => {
  await using redis = await startRedis();
  const killDuringCommand = async () => {
    redis.pause();
    await Promise.all([decide(), redis.kill()]);
  };
  expect(await reasonOfOutage([redis.url], killDuringCommand)).toMatch(/lost|ECONNRESET|EPIPE/);
});

/** Gives the reason that a connection has which was never ready. */
async function reasonWithoutConnection(url: string): Promise<string> {
  const redis = openRedis([url], 5_000);
  try {
    const reasonOf = watchForReason(redis);
    await once(redis, 'error');
    return (reasonOf(undefined) as Error).message;
  } finally {
    redis.disconnect();
  }
}

test('a connection is refused when nothing listens', async () => {
  const port = await freePort();
  expect(await reasonWithoutConnection(`redis://127.0.0.1:${port}`)).toBe(
    `connect ECONNREFUSED 127.0.0.1:${port}`,
  );
});

test('the reason is what Redis said when it wants another password', async () => {
  await using redis = await startRedis({ args: ['--requirepass', 'another'] });
  expect(await reasonWithoutConnection(redis.url)).toMatch(/^NOAUTH /);
});

test('a connection is refused or lost when a Cluster is killed', async () => {
  await using cluster = await openRedisCluster();
  const killAll = () => Promise.all(cluster.nodes.map((node) => node.kill()));
  expect(await reasonOfOutage(cluster.urls, killAll)).toMatch(lostOrRefused);
});
