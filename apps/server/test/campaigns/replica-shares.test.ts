import { openRedis, openTcpProxy, type Server, startServer } from '@animal-store/testkit';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createDatabase } from '../support/databases.ts';
import { sample, scrape } from '../support/observed.ts';
import { call } from '../support/test-service.ts';
import { untilLate } from './until-late.ts';

const perMinute = 60;

test('without Redis, replicas share a quota by how many they are: one joins, one stops, one is killed', async () => {
  await using started = new AsyncDisposableStack();
  const redis = started.use(await openRedis());
  const database = started.use(await createDatabase('postgres'));
  const databaseUrl = database.env['DATABASE_URL'] ?? '';
  const { hostname, port } = new URL(databaseUrl);
  const proxy = started.use(await openTcpProxy({ target: { host: hostname, port: Number(port) } }));
  const token = await createKey();
  const start = async (env: Readonly<Record<string, string>> = {}) =>
    started.use(
      await startServer({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, ...env } }),
    );

  /** Waits until each of these replicas admits this many requests a minute by itself. */
  const untilShare = (share: number, ...servers: readonly Server[]) =>
    untilLate(async () => {
      const limits = await Promise.all(
        servers.map(async ({ baseUrl }) => {
          const { headers } = await call(`${baseUrl}/pets`, { token });
          return Number(headers.get('X-RateLimit-Limit'));
        }),
      );
      return limits.every((limit) => limit === share);
    });
  const countOf = async (server: Server) => sample(await scrape(server), 'animal_store_replicas');

  const first = await start({ DATABASE_URL: proxy.via(databaseUrl) });
  const second = await start();
  await redis.kill();
  await untilShare(perMinute / 2, first, second);

  const third = await start();
  await untilShare(perMinute / 3, first, second, third);
  expect(await countOf(third)).toBe(3);

  const goodbye = await hear(databaseUrl, started);
  expect(await third.stop()).toBe(0);
  await untilLate(() => goodbye.some((payload) => JSON.parse(payload).leaving));
  await untilShare(perMinute / 2, first, second);

  // Set by hand, it is not counted.
  const fourth = await start({ REPLICAS: '10' });
  await untilShare(perMinute / 10, fourth);
  await untilShare(perMinute / 3, first, second);
  await fourth.kill();
  await untilShare(perMinute / 2, first, second);

  // While Postgres is away, nobody is heard, and nobody is taken for dead.
  await proxy.cut();
  await untilLate(async () => (await heartbeatAge(first)) > 10);
  expect(await countOf(first)).toBe(2);
  await untilShare(perMinute / 2, first);
  await proxy.resume();
  await untilLate(async () => (await heartbeatAge(first)) < 3);
  expect(await countOf(first)).toBe(2);

  await second.kill();
  await untilShare(perMinute, first);

  async function createKey(): Promise<string> {
    const { db, close } = await database.open();
    try {
      const quota = { perMinute, perDay: 100_000 };
      return (await createApiKey(db, { name: 'shared', plan: 'enterprise', quota })).token;
    } finally {
      await close();
    }
  }
});

/** All messages of the replicas' channel from now on. */
async function hear(url: string, until: AsyncDisposableStack): Promise<readonly string[]> {
  const heard: string[] = [];
  const listener = postgres(url, { max: 1, onnotice: () => {} });
  until.defer(() => listener.end());
  await listener.listen('animal_store_keys', (payload) => heard.push(payload));
  return heard;
}

async function heartbeatAge(server: Server): Promise<number> {
  return sample(await scrape(server), 'animal_store_heartbeat_age_seconds') ?? Number.NaN;
}
