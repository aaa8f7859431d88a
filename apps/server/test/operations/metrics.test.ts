import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRedis, type Redis, type Server, until } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { checkMetrics } from '../support/promtool.ts';
import { startProcess, type TestService } from '../support/test-service.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** Everything that asks for metrics: rules, the runbook, dashboards. */
const sources = [
  'deploy/prometheus/animal-store.rules.yaml',
  'docs/capacity.md',
  'docs/operating.md',
  ...readdirSync(join(repository, 'deploy/grafana/dashboards')).map(
    (file) => `deploy/grafana/dashboards/${file}`,
  ),
];

let redis: Redis;
let service: TestService<Server>;
/** What the server said before its first request. */
let firstMetrics: string;

beforeAll(async () => {
  redis = await openRedis();
  service = await startProcess('postgres', {
    env: {
      REDIS_URL: redis.url,
      ADDRESS_PER_MINUTE: '100000',
      ADMIN_TOKEN: adminToken,
      // No statement of the usage ledger in between.
      USAGE_FLUSH_MS: '60000',
    },
  });
  firstMetrics = await scrape(service.server);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const series = (metrics: string) =>
  metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

const labelValues = (metrics: string, label: string) =>
  new Set(
    [...metrics.matchAll(new RegExp(`[{,]${label}="([^"]*)"`, 'g'))].map(([, value]) => value),
  );

const requestsIn = (metrics: string) =>
  series(metrics)
    .filter((line) => line.startsWith('animal_store_http_requests_total{'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

/** Waits until the requests that were answered are counted too. */
const settled = (total: number) =>
  until(async () => {
    const metrics = await scrape(service.server);
    return requestsIn(metrics) >= total ? metrics : undefined;
  });

test('requests, decisions, Redis and the database are counted', async () => {
  const before = await scrape(service.server);
  await service.call('/pets', { token: service.tokens.pro });
  await service.call('/pets', { token: service.tokens.pro });
  await service.call('/pets/1', { token: null });
  const metrics = await settled(requestsIn(before) + 3);

  const counted = (name: string) => (sample(metrics, name) ?? 0) - (sample(before, name) ?? 0);
  expect(
    counted('animal_store_http_requests_total{route="/v1/pets",method="GET",status="200"}'),
  ).toBe(2);
  expect(
    counted('animal_store_http_requests_total{route="/v1/pets/:petId",method="GET",status="401"}'),
  ).toBe(1);
  expect(
    counted('animal_store_http_request_duration_seconds_count{route="/v1/pets",method="GET"}'),
  ).toBe(2);
  expect(
    counted('animal_store_quota_decisions_total{plan="pro",window="minute",outcome="admitted"}'),
  ).toBe(2);
  expect(
    counted('animal_store_quota_decisions_total{plan="none",window="minute",outcome="admitted"}'),
  ).toBe(1);
  expect(
    counted('animal_store_database_statement_duration_seconds_count{statement="list_pets"}'),
  ).toBe(2);
  // The first call of a script sends it in full; after a restart of Redis, twice.
  const scripts = ['eval', 'evalsha'].map((command) =>
    counted(`animal_store_redis_command_duration_seconds_count{command="${command}"}`),
  );
  expect(scripts.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(3);
  const told = (name: string) => sample(metrics, name);
  expect(told('animal_store_bans_total')).toBe(0);
  expect(told('animal_store_redis_breaker_open')).toBe(0);
  expect(told(`animal_store_build_info{version="1.0.0",node="${process.version}"}`)).toBe(1);
  expect(told('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  const resident = told('process_resident_memory_bytes') ?? Number.NaN;
  expect(told('animal_store_memory_limit_bytes')).toBeGreaterThan(resident);
  expect(told('animal_store_connections_refused_total{limit="open_files"}')).toBe(0);
  expect(labelValues(metrics, 'le')).toContain('10');
});

test("operators' requests and probes have their own counters", async () => {
  const { call: ask } = adminOf(service.server);
  expect((await ask('/keys')).status).toBe(200);
  await ask('/keys/no-id', { method: 'PURGE', token: null });
  // A probe of a slow database is answered 503.
  await until(async () => (await fetch(`${service.server.opsUrl}/readyz`)).ok);
  const counted = (route: string, method: string, status: number) =>
    `animal_store_ops_requests_total{route="${route}",method="${method}",status="${status}"}`;
  const metrics = await until(async () => {
    const text = await scrape(service.server);
    return sample(text, counted('/readyz', 'GET', 200)) === 1 && text;
  });
  expect(sample(metrics, counted('/admin/v1/keys', 'GET', 200))).toBe(1);
  expect(sample(metrics, counted('/admin/v1/keys/:keyId', 'other', 401))).toBe(1);
  expect(sample(metrics, counted('/metrics', 'GET', 200))).toBeGreaterThan(0);
  expect(metrics).not.toMatch(/animal_store_http_\w+\{route="\/(?:admin|readyz|metrics)/);
});

test('promtool finds no problem', async () => {
  expect(await checkMetrics(await scrape(service.server))).toBe('');
});

test('no label takes a value from a caller', async () => {
  const hostile = async (round: number) => {
    const methods = ['PROPFIND', 'MKCOL', 'PATCH', 'PURGE', 'OPTIONS'];
    for (let i = 0; i < 100; i += 1) {
      const path = `/${round}-${i}"\n{}/%00`;
      await service.call(encodeURI(path), { method: methods[i % methods.length] ?? '' });
      await service.call(`/pets/${round}${i}`, { token: i % 2 === 0 ? null : `guess-${i}` });
      await fetch(`${service.server.origin}/${round}/${i}`);
      await fetch(`${service.server.opsUrl}/admin/v1/keys/${round}-${i}`);
      await fetch(`${service.server.opsUrl}/${round}/${i}`);
    }
    return settled(before + round * 300);
  };
  const before = requestsIn(await scrape(service.server));
  const first = await hostile(1);
  const second = await hostile(2);
  const names = (metrics: string) =>
    series(metrics)
      .map((line) => line.slice(0, line.lastIndexOf(' ')))
      // Statements that the service sends by itself, now and then, have series of their own.
      .filter((name) => /^animal_store_(?!database_)/.test(name));
  expect(names(second)).toEqual(names(first));
  const ofCallers = series(second).filter((line) => line.startsWith('animal_store_http_'));
  const others = (metrics: readonly string[], label: string, known: readonly string[]) =>
    [...labelValues(metrics.join('\n'), label)].filter((value) => !known.includes(value ?? ''));
  expect(others(ofCallers, 'route', ['/v1/pets', '/v1/pets/:petId', 'other'])).toEqual([]);
  const ofOperators = series(second).filter((line) => line.startsWith('animal_store_ops_'));
  const known = ['/admin/v1/keys', '/admin/v1/keys/:keyId', '/readyz', '/metrics', 'other'];
  expect(others(ofOperators, 'route', known)).toEqual([]);
  expect(others([second], 'method', ['GET', 'PATCH', 'OPTIONS', 'other'])).toEqual([]);
});

test('the circuit breaker and the errors of Redis are in the metrics and the log', async () => {
  await redis.kill();
  await service.call('/pets');
  const away = await scrape(service.server);
  expect(sample(away, 'animal_store_redis_breaker_open')).toBe(1);
  await redis.restart();
  await until(
    async () => sample(await scrape(service.server), 'animal_store_redis_breaker_open') === 0,
  );
  const told = await until(() => {
    const lines = logOf(service.server).filter(({ msg }) => msg.startsWith('Redis is'));
    return lines.length >= 2 && lines;
  });
  expect(told.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'Redis is away: this replica limits by its own share until it is back'],
    ['warn', 'Redis is back: replicas limit together again'],
  ]);
});

test('the public port has no metrics', async () => {
  expect((await fetch(`${service.server.origin}/metrics`)).status).toBe(404);
});

test.each(sources)(
  'every metric in %s exists on /metrics, also before the first request',
  (file) => {
    const types = [...firstMetrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    const existing = new Set(
      types.flatMap(([, name = '', type]) =>
        type === 'histogram'
          ? ['_bucket', '_sum', '_count'].map((part) => name + part)
          : type === 'summary'
            ? [name, `${name}_sum`, `${name}_count`]
            : [name],
      ),
    );
    const text = readFileSync(join(repository, file), 'utf8');
    const used = new Set(text.match(/(?<![:\w])(?:animal_store|nodejs|process)_\w+/g));
    expect(used.size).toBeGreaterThan(0);
    expect([...used].filter((name) => !existing.has(name))).toEqual([]);
  },
);
