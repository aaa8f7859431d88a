import { openRedis, type Redis, until } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { call, startService, type TestService } from '../support/test-service.ts';

// Of a process, with every name that documents ask for: process/observability.test.ts.

let redis: Redis;
beforeAll(async () => {
  redis = await openRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

/** A service that has counted nothing yet. */
const start = (redisUrl = redis.url) =>
  startService('postgres', {
    clock: systemClock,
    env: {
      REDIS_URL: redisUrl,
      ADDRESS_PER_MINUTE: '100000',
      ADMIN_TOKEN: adminToken,
      // No statement of the usage ledger in between.
      USAGE_FLUSH_MS: '60000',
    },
  });

const series = (metrics: string) =>
  metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

const labelValues = (lines: readonly string[], label: string) => {
  const pattern = new RegExp(`[{,]${label}="([^"]*)"`, 'g');
  return new Set([...lines.join('\n').matchAll(pattern)].map(([, value]) => value));
};

/** Waits until the requests that were answered are counted too. */
const settled = ({ server }: TestService, total: number) =>
  until(async () => {
    const metrics = await scrape(server);
    const counted = series(metrics)
      .filter((line) => line.startsWith('animal_store_http_requests_total{'))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    return counted >= total && metrics;
  });

test('requests, decisions, Redis and the database are counted', async () => {
  await using service = await start();
  for (const path of ['/pets', '/pets']) await service.call(path, { token: service.tokens.pro });
  await service.call('/pets/1', { token: null });
  const metrics = await settled(service, 3);
  for (const [name, value] of [
    ['animal_store_http_requests_total{route="/v1/pets",method="GET",status="200"}', 2],
    ['animal_store_http_requests_total{route="/v1/pets/:petId",method="GET",status="401"}', 1],
    ['animal_store_http_request_duration_seconds_count{route="/v1/pets",method="GET"}', 2],
    ['animal_store_quota_decisions_total{plan="pro",window="minute",outcome="admitted"}', 2],
    ['animal_store_quota_decisions_total{plan="none",window="minute",outcome="admitted"}', 1],
    ['animal_store_database_statement_duration_seconds_count{statement="list_pets"}', 2],
    // The first call of a script sends it in full.
    ['animal_store_redis_command_duration_seconds_count{command="eval"}', 2],
    ['animal_store_redis_command_duration_seconds_count{command="evalsha"}', 1],
    ['animal_store_bans_total', 0],
    ['animal_store_redis_breaker_open', 0],
    [`animal_store_build_info{version="1.0.0",node="${process.version}"}`, 1],
    ['animal_store_connections_refused_total{limit="open_files"}', 0],
  ] as const) {
    expect(sample(metrics, name), name).toBe(value);
  }
  expect(labelValues([metrics], 'le')).toContain('10');
});

test("operators' requests and probes have their own counters", async () => {
  await using service = await start();
  const { call: ask } = adminOf(service.server);
  expect((await ask('/keys')).status).toBe(200);
  await ask('/keys/no-id', { method: 'PURGE', token: null });
  expect((await fetch(`${service.server.opsUrl}/readyz`)).status).toBe(200);
  const counted = (route: string, method: string, status: number) =>
    `animal_store_ops_requests_total{route="${route}",method="${method}",status="${status}"}`;
  const metrics = await until(async () => {
    const text = await scrape(service.server);
    return sample(text, counted('/readyz', 'GET', 200)) === 1 && text;
  });
  expect(sample(metrics, counted('/admin/v1/keys', 'GET', 200))).toBe(1);
  expect(sample(metrics, counted('/admin/v1/keys/:keyId', 'other', 401))).toBe(1);
  expect(metrics).not.toMatch(/animal_store_http_\w+\{route="\/(?:admin|readyz|metrics)/);
});

test('no label takes a value from a caller', async () => {
  await using service = await start();
  const { origin, opsUrl } = service.server;
  const methods = ['PROPFIND', 'MKCOL', 'PATCH', 'PURGE', 'OPTIONS'];
  const hostile = async (round: number) => {
    for (let i = 0; i < 8; i += 1) {
      const path = encodeURI(`/${round}-${i}"\n{}/%00`);
      await service.call(path, { method: methods[i % methods.length] ?? '' });
      await service.call(`/pets/${round}${i}`, { token: i % 2 === 0 ? null : `guess-${i}` });
      await fetch(`${origin}/${round}/${i}`);
      await fetch(`${opsUrl}/admin/v1/keys/${round}-${i}`);
      await fetch(`${opsUrl}/${round}/${i}`);
    }
    await scrape(service.server);
    return settled(service, round * 24);
  };
  const [first, second] = [await hostile(1), await hostile(2)].map((metrics) =>
    // Statements that the service sends by itself, now and then, have series of their own.
    series(metrics).filter((line) => /^animal_store_(?!database_)/.test(line)),
  ) as [string[], string[]];
  const names = (lines: readonly string[]) => lines.map((it) => it.slice(0, it.lastIndexOf(' ')));
  expect(names(second)).toEqual(names(first));
  const of = (prefix: string) => second.filter((line) => line.startsWith(prefix));
  expect(labelValues(of('animal_store_http_'), 'route')).toEqual(
    new Set(['/v1/pets/:petId', 'other']),
  );
  expect(labelValues(of('animal_store_ops_'), 'route')).toEqual(
    new Set(['/admin/v1/keys/:keyId', '/metrics', 'other']),
  );
  expect(labelValues(second, 'method')).toEqual(new Set(['GET', 'PATCH', 'OPTIONS', 'other']));
});

test('the circuit breaker is in the metrics, the log and the readiness', async () => {
  await using own = await openRedis();
  await using service = await start(own.url);
  const { server } = service;
  const isOpen = async () => sample(await scrape(server), 'animal_store_redis_breaker_open');
  const readiness = async () => (await call(`${server.opsUrl}/readyz`)).body;
  await own.kill();
  expect((await service.call('/pets')).status).toBe(200);
  expect(await isOpen()).toBe(1);
  const reasons = ['Redis is away: this replica limits by its own share until it is back.'];
  expect(await readiness()).toEqual({ status: 'degraded', reasons });
  await own.restart();
  await until(async () => (await isOpen()) === 0);
  expect(await readiness()).toEqual({ status: 'ready', reasons: [] });
  const told = await until(() => {
    const lines = logOf(server).filter(({ msg }) => msg.startsWith('Redis is'));
    return lines.length >= 2 && lines;
  });
  expect(told.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'Redis is away: this replica limits by its own share until it is back'],
    ['warn', 'Redis is back: replicas limit together again'],
  ]);
});

// The operators' listener had closed before they were counted, so no alert could know.
test('the last scrape shows the requests that a stop without Postgres loses', async () => {
  await using service = await startService('postgres', {
    clock: systemClock,
    env: { USAGE_FLUSH_MS: '60000' },
    timings: { ops: { lastScrapeMs: 60_000 } },
  });
  const { server, database } = service;
  await service.call('/pets');
  const lost = async () => sample(await scrape(server), 'animal_store_usage_lost_requests_total');
  expect(await lost()).toBe(0);
  await database[Symbol.asyncDispose]();
  const stopping = server.stop();
  await until(async () => (await lost()) === 1);
  await stopping;
});
