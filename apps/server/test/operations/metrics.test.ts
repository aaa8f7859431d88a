import { systemClock } from '@animal-store/runtime';
import { openRedis, type Redis, until } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { sample, scrape } from '../support/observed.ts';
import { call, startService, type TestService } from '../support/test-service.ts';

// `process/observability.test.ts` tests the metrics of a whole process, with every name that the
// documentation mentions.

/** A clock that is an hour ahead of the clocks of Redis and Postgres. */
const hourAhead = { ...systemClock, now: () => Date.now() + 3_600_000 };

let redis: Redis;
let service: TestService & AsyncDisposable;
/**
 * The text of the metrics: after a few requests (`atFirst`), and after each of two rounds of
 * hostile requests (`before` and `after`).
 */
let [atFirst, before, after] = ['', '', ''];

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  redis = stack.use(await openRedis());
  const own = { REDIS_URL: redis.url, ADDRESS_PER_MINUTE: '100000', ADMIN_TOKEN: adminToken };
  // The interval for writing counts is long, so that no SQL statement writes counts during the
  // test.
  const env = { ...own, USAGE_FLUSH_MS: '60000' };
  service = stack.use(await startService('postgres', { clock: hourAhead, env }));
  const { call: ask } = adminOf(service.server);
  for (const path of ['/pets', '/pets']) await service.call(path, { token: service.tokens.pro });
  await service.call('/pets/1', { token: null });
  await ask('/keys');
  await ask('/keys/no-id', { method: 'PURGE', token: null });
  await fetch(`${service.server.opsUrl}/readyz`);
  atFirst = await settled(6);
  before = await sendHostileRequests(1, 'PROPFIND', 'MKCOL');
  after = await sendHostileRequests(2, 'PURGE', 'LOCK');
  return () => stack.disposeAsync();
});

/** Waits until both listeners have counted all requests that got a response. */
const settled = (total: number) =>
  until(async () => {
    const metrics = await scrape(service.server);
    const ofRequests = /^animal_store_(?:http|ops)_requests_total{(?!route="\/metrics").* (\d+)$/gm;
    const counts = [...metrics.matchAll(ofRequests)].map(([, count]) => Number(count));
    return counts.reduce((sum, count) => sum + count, 0) >= total && metrics;
  });

async function sendHostileRequests(round: number, ...methods: string[]): Promise<string> {
  const { origin, opsUrl } = service.server;
  for (const method of methods) {
    await service.call(encodeURI(`/${method}"\n{}/%00`), { method });
    await service.call(`/pets/${round}`, { token: `guess-${method}` });
    for (const path of [`/${round}/${method}`, `/admin/v1/keys/${round}-${method}`]) {
      await fetch(origin + path);
      await fetch(opsUrl + path);
    }
  }
  await scrape(service.server);
  return settled(6 + round * 12);
}

test.each([
  ['http_requests_total{route="/v1/pets",method="GET",status="200"}', 2],
  ['http_requests_total{route="/v1/pets/:petId",method="GET",status="401"}', 1],
  ['http_request_duration_seconds_count{route="/v1/pets",method="GET"}', 2],
  // The largest bucket is longer than the 6 s that SQL statements may take.
  ['http_request_duration_seconds_bucket{le="10",route="/v1/pets",method="GET"}', 2],
  ['http_request_wait_duration_seconds_count{stage="queue"}', 3],
  ['http_request_wait_duration_seconds_count{stage="sql"}', 3],
  ['quota_decisions_total{plan="pro",window="minute",outcome="admitted"}', 2],
  ['quota_decisions_total{plan="none",window="minute",outcome="admitted"}', 1],
  ['database_statement_duration_seconds_count{statement="list_pets"}', 2],
  // When a Lua script is called for the first time, the service sends the source of the script with
  // EVAL. Later calls use EVALSHA. At its start, the replica checks Redis with two calls for each of
  // 32 Redis keys, so that it finds a single node of a Cluster. One of these 64 calls is an EVAL.
  ['redis_command_duration_seconds_count{command="eval"}', 3],
  ['redis_command_duration_seconds_count{command="evalsha"}', 63 + 1],
  ['bans_total', 0],
  [`build_info{version="1.0.0",node="${process.version}"}`, 1],
  ['connections_refused_total{limit="open_files"}', 0],
  ['ops_requests_total{route="/readyz",method="GET",status="200"}', 1],
  ['ops_requests_total{route="/admin/v1/keys",method="GET",status="200"}', 1],
  ['ops_requests_total{route="/admin/v1/keys/:keyId",method="other",status="401"}', 1],
])('the metric animal_store_%s has the value %d after a few requests', (name, value) => {
  expect(sample(atFirst, `animal_store_${name}`)).toBe(value);
});

test.each(['postgres', 'redis'])(
  'the metrics show how far the clock of this replica is ahead of the clock of %s',
  async (store) => {
    const name = `animal_store_clock_difference_seconds{store="${store}"}`;
    const startedAt = performance.now();
    const seconds = await until(async () => sample(await scrape(service.server), name));
    const scrapeSeconds = (performance.now() - startedAt) / 1_000;
    expect(Math.abs(seconds - 3_600)).toBeLessThanOrEqual(scrapeSeconds);
  },
);

test('the labels of metrics contain no values that callers have sent', () => {
  const [first, second] = [before, after].map((metrics) =>
    // Database metrics are left out, because SQL statements in the background add new label values
    // at any time.
    Array.from(metrics.matchAll(/^animal_store_(?!database_).* /gm), ([series]) => series),
  );
  expect(first?.length).toBeGreaterThan(100);
  expect(second).toEqual(first);
});

test('the metrics endpoint sends the same samples in the OpenMetrics format to a scraper that accepts this format', async () => {
  const headers = { Accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' };
  const response = await fetch(`${service.server.opsUrl}/metrics`, { headers });
  expect(response.headers.get('Content-Type')).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
  const text = await response.text();
  expect(text.endsWith('# EOF\n')).toBe(true);
  const series = (metrics: string) =>
    new Set(metrics.match(/^(?:animal_store|process)_(?!database_)\S+(?= )/gm));
  expect(series(text)).toEqual(series(await scrape(service.server)));
});

// `redis-outage.test.ts` tests the log lines about the circuit breaker.
test('the metrics and the readiness report show the state of the circuit breaker for Redis', async () => {
  const { opsUrl } = service.server;
  const isOpen = async () =>
    sample(await scrape(service.server), 'animal_store_redis_breaker_open');
  const readiness = async () => (await call(`${opsUrl}/readyz`)).body;
  await redis.kill();
  expect((await service.call('/pets')).status).toBe(200);
  expect(await isOpen()).toBe(1);
  const reasons = [
    'Redis is unavailable: each replica counts requests alone, and admits an equal share of each limit.',
  ];
  expect(await readiness()).toEqual({ status: 'degraded', reasons });
  await redis.restart();
  await until(async () => (await isOpen()) === 0);
  expect(await readiness()).toEqual({ status: 'ready', reasons: [] });
});
