import { operations } from '@animal-store/contract';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMetrics } from './metrics.ts';
import type { RequestRecord } from './request-record.ts';

const finished: RequestRecord = {
  requestId: 'one',
  method: 'GET',
  route: '/v1/pets',
  status: 200,
  aborted: false,
  durationMs: 70,
  errorCode: undefined,
  attempts: undefined,
  waits: { queueMs: 30, redisMs: 2, sqlMs: 20, bodyMs: 0 },
  operation: undefined,
  key: undefined,
  tokenPrefix: undefined,
  decision: undefined,
  traceId: undefined,
};
const traceId = '0af7651916cd43dd8448eb211c80319c';

let metrics: ReturnType<typeof openMetrics>;
beforeEach(() => {
  metrics = openMetrics({ version: '1.0.0', clock: createTestClock(), measureProcess: () => {} });
});
afterEach(() => metrics.close());

const linesOf = async (format: 'plain' | 'openmetrics') =>
  (await metrics.show(format)).text.split('\n');

// Regression: Prometheus missed the first requests of a route, because the time series of their
// duration did not exist before. Dashboards then showed longer waits than durations.
test('openMetrics creates the duration metric of each operation before the first request arrives', async () => {
  const counts = (await linesOf('plain')).filter((line) =>
    /http_request_duration.*_count/.test(line),
  );
  expect(counts).toContain(
    'animal_store_http_request_duration_seconds_count{route="/v1/pets/:petId",method="GET"} 0',
  );
  expect(counts).toHaveLength(Object.keys(operations).length);
});

test('countRequest records how long a request waited in the queue, for Redis, for SQL statements and for its body', async () => {
  metrics.countRequest(finished);
  metrics.countRequest({ ...finished, waits: undefined });
  const wait = 'animal_store_http_request_wait_duration_seconds';
  const lines = (await linesOf('plain')).filter((line) => /wait_.*(?:_sum|_count)/.test(line));
  expect(lines).toEqual(
    Object.entries({ queue: 0.03, redis: 0.002, sql: 0.02, body: 0 }).flatMap(
      ([stage, seconds]) => [
        `${wait}_sum{stage="${stage}"} ${seconds}`,
        `${wait}_count{stage="${stage}"} 1`,
      ],
    ),
  );
});

test('the metrics contain the trace id of a sampled request as an exemplar in OpenMetrics, but not in plain text', async () => {
  metrics.countRequest(finished);
  expect((await linesOf('openmetrics')).filter((line) => line.includes(' # '))).toEqual([]);
  metrics.countRequest({ ...finished, traceId });
  const exemplar = (value: number) =>
    expect.stringMatching(new RegExp(` 2 # \\{trace_id="${traceId}"\\} ${value} \\d+(\\.\\d+)?$`));
  expect((await linesOf('openmetrics')).filter((line) => line.includes(' # '))).toEqual(
    [0.07, 0.03, 0.002, 0.02, 0].map(exemplar),
  );
  expect((await linesOf('plain')).filter((line) => line.includes(traceId))).toEqual([]);
});

// Regression: the names of counters lost "_total" in the plain text format, because prom-client
// removes it in a registry that writes OpenMetrics.
test('a scrape in the OpenMetrics format does not change the names and values of the metrics in plain text', async () => {
  metrics.countRequest({ ...finished, traceId });
  const before = await metrics.show('plain');
  const { text, contentType } = await metrics.show('openmetrics');
  expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  expect(await metrics.show('plain')).toEqual(before);
  expect(before.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  // Only OpenMetrics has exemplars, and its comments differ. So the comparison ignores both.
  const samples = (all: string) =>
    all
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.replace(/ # .*/, ''));
  expect(samples(text)).toEqual(samples(before.text));
  // The help texts contain no quotes, because OpenMetrics requires them to be escaped and
  // prom-client does not escape them.
  expect(text.split('\n').filter((line) => /^# HELP .*["\\]/.test(line))).toEqual([]);
});

test('watchClocks leaves out the clock difference of a store that no longer responds', async () => {
  const differencesMs: (number | undefined)[] = [-1_500, undefined];
  metrics.watchClocks({
    postgres: async () => 20,
    redis: async () => differencesMs.shift(),
  });
  const samples = async () =>
    (await linesOf('plain')).filter((line) => line.startsWith('animal_store_clock_difference'));
  const ofPostgres = 'animal_store_clock_difference_seconds{store="postgres"} 0.02';
  const ofRedis = 'animal_store_clock_difference_seconds{store="redis"} -1.5';
  expect(await samples()).toEqual([ofPostgres, ofRedis]);
  expect(await samples()).toEqual([ofPostgres]);
});
