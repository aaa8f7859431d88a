import { openRedisSentinels, type Redis, until } from '@animal-store/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startLoad } from '../support/load.ts';
import { sample, scrape } from '../support/observed.ts';
import { startReplicas } from '../support/replicas.ts';
import { wideQuota } from '../support/test-service.ts';

const replicationOffset = async (redis: Redis) =>
  Number(/master_repl_offset:(\d+)/.exec(await redis.command('info', 'replication'))?.[1]);

test('after a failover of Redis, both replicas of the service continue with the replicated request counts, and no request fails', async () => {
  const printed = vi.spyOn(console, 'error');
  onTestFinished(() => printed.mockRestore());
  await using redis = await openRedisSentinels();
  const options = { quotas: { redis: [redis.url] }, replicas: 2 };
  await using replicas = await startReplicas([options, options]);
  const { servers } = replicas;
  const token = await replicas.createToken({ perMinute: 1_000, perDay: 6 });
  const wide = await replicas.createToken(wideQuota);
  const admittedOf = async (times: number) => {
    const replies = await replicas.askAtOnce(times, token);
    return replies.filter(({ status }) => status === 200).length;
  };
  const untilDecidedOn = async (one: Redis) => {
    await until(async () => {
      const clients = await one.command('client', 'list');
      return clients.match(/ name=animal-store /g)?.length === 2;
    });
    for (const server of servers) {
      const isOpen = async () => sample(await scrape(server), 'animal_store_redis_breaker_open');
      await until(async () => (await isOpen()) === 0);
    }
  };

  await untilDecidedOn(redis.primary);
  expect(await admittedOf(3)).toBe(3);
  // The test waits until all data is replicated, because a failover loses the data that is not
  // replicated yet.
  const written = await replicationOffset(redis.primary);
  await until(async () => (await replicationOffset(redis.replica)) >= written);

  const loads = servers.map((server) =>
    startLoad({ callers: 4, pauseMs: 50, ask: () => replicas.ask(server, wide) }),
  );
  // The primary and a Sentinel are killed at the same time, as if they ran on the same machine.
  await Promise.all([redis.primary.kill(), redis.sentinels[0]?.kill()]);
  await untilDecidedOn(redis.replica);
  expect(await admittedOf(10)).toBe(3);
  expect(await redis.replica.command('role')).toMatch(/^master\n/);
  await Promise.all(loads.map((load) => load.stop()));
  // All errors go to the log, so ioredis must not print any errors itself.
  expect(printed).not.toHaveBeenCalled();
  for (const { answers, failures } of loads) {
    expect(failures).toEqual([]);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  }
});
