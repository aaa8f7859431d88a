import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { freePort, openOtlpCollector, openRawServer, until } from '@animal-store/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { finishedRequest } from '../test/finished-request.ts';
import type { RequestRecord, TracedRequest } from './request-record.ts';
import { type OpenTracing, openTracing } from './tracing.ts';

const request: TracedRequest = {
  headers: {},
  baseUrl: '/v1',
  path: '/pets',
  protocol: 'http',
  httpVersion: '1.1',
  ip: '127.0.0.1',
};
const record: RequestRecord = { ...finishedRequest, route: '/v1/pets' };

let clock: TestClock;
let troubles: string[];
let dropped: Record<string, number>;
let stack: AsyncDisposableStack;
beforeEach(() => {
  clock = createTestClock();
  troubles = [];
  dropped = {};
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

function open(origin: string, batches = {}): OpenTracing {
  // Each test has its own object for the counts, because exporters of earlier tests may still
  // report failures.
  const counts = dropped;
  return openTracing({
    ...{ url: `${origin}/v1/traces`, version: '1.0.0', clock },
    ...{ sampler: 'always_on', sampleShare: 1, batches, flushTimeoutMs: 500 },
    onTrouble: (trouble) => troubles.push(trouble),
    onDropped(loss, spans) {
      counts[loss] = (counts[loss] ?? 0) + spans;
    },
  });
}

/** Records the span of a request that has waited `queueMs` in the load shedder's queue. */
function trace(tracing: OpenTracing, queueMs = 0): void {
  const waits = { queueMs, redisMs: 0, sqlMs: 0, bodyMs: 0 };
  tracing.start(request, { arrivedAt: performance.now() - queueMs, waits }).end(record);
}

/** Opens a fake trace collector that accepts connections and never responds. */
async function openSilentCollector() {
  let connections = 0;
  const server = stack.use(
    await openRawServer(() => {
      connections += 1;
    }),
  );
  const untilConnected = () => until(() => connections > 0);
  return { origin: `http://127.0.0.1:${server.port}`, untilConnected };
}

/**
 * Tells whether a promise has settled after one iteration of the event loop, in which Node reads
 * from sockets.
 */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await clock.advance(0);
  return settled;
}

test("openTracing adds a child span to the span of a request that waited in the load shedder's queue", async () => {
  await using collector = await openOtlpCollector();
  const tracing = open(collector.url);
  trace(tracing);
  trace(tracing, 30);
  await tracing.close();
  const waits = collector.spans().filter(({ name }) => name === 'wait_for_turn');
  expect(waits).toHaveLength(1);
  const parent = collector.spans().find(({ spanId }) => spanId === waits[0]?.parentSpanId);
  expect(parent).toMatchObject({ name: 'GET /v1/pets', kind: 2, beganAt: waits[0]?.beganAt });
  expect(Number((waits[0]?.endedAt ?? 0n) - (waits[0]?.beganAt ?? 0n)) / 1e6).toBeCloseTo(30, 2);
});

test('tracing.close waits until the trace collector has accepted the last spans', async () => {
  await using collector = await openOtlpCollector();
  const tracing = open(collector.url);
  trace(tracing);
  await tracing.close();
  expect(collector.spans()).toHaveLength(1);
  expect([troubles, dropped]).toEqual([[], {}]);
});

// Regression: the shutdown took two seconds. The fake clock does not move in this test, so the test
// never ends if `close` waits for time to pass.
test('tracing.close does not wait for a trace collector that refuses connections, and reports how many spans are lost', async () => {
  const tracing = open(`http://127.0.0.1:${await freePort()}`);
  trace(tracing);
  await tracing.close();
  expect(troubles.at(-1)).toMatch(
    /^The trace collector .* before the service stopped: 1 spans are lost\.$/,
  );
});

test('tracing.close waits at most 500 ms for a trace collector that does not respond', async () => {
  const { origin, untilConnected } = await openSilentCollector();
  const tracing = open(origin);
  trace(tracing);
  const closed = tracing.close();
  await untilConnected();
  await clock.advance(499);
  expect(await isSettled(closed)).toBe(false);
  await clock.advance(1);
  await closed;
  expect(troubles).toEqual([expect.stringContaining('1 spans are lost')]);
});

test('tracing.close does not wait for the trace collector if the collector has not responded to an earlier export within 500 ms', async () => {
  const { origin, untilConnected } = await openSilentCollector();
  const tracing = open(origin);
  trace(tracing);
  void tracing.flush();
  await untilConnected();
  await clock.advance(500);
  trace(tracing);
  await tracing.close();
  expect(troubles).toEqual([expect.stringContaining('2 spans are lost')]);
});

test('tracing.close waits for the trace collector if the collector has accepted spans again after a failure', async () => {
  let status = 400;
  await using collector = await openOtlpCollector(() => status);
  const tracing = open(collector.url);
  trace(tracing);
  void tracing.flush();
  await until(() => dropped['export_failed'] === 1);
  status = 200;
  trace(tracing);
  await tracing.flush();
  expect(collector.spans()).toHaveLength(1);
  trace(tracing);
  await tracing.close();
  expect(collector.spans()).toHaveLength(2);
});

test('openTracing counts spans as dropped when its queue is full and when the trace collector refuses them', async () => {
  await using collector = await openOtlpCollector(() => 400);
  const tracing = open(collector.url, { maxQueueSize: 2, maxExportBatchSize: 2 });
  // Two spans are being sent and two others wait, so the queue is full and drops the fifth span.
  for (let i = 0; i < 5; i += 1) trace(tracing);
  expect(dropped).toEqual({ queue_full: 1 });
  await tracing.close();
  await until(() => dropped['export_failed'] === 4);
  expect(new Set(troubles)).toContain('OTLPExporterError: Bad Request (400)');
});

// Regression: OpenTelemetry reports such a batch as sent.
test.each([
  [
    { rejectedSpans: '2', errorMessage: 'too many attributes' },
    { export_failed: 2 },
    'The trace collector has rejected spans of a batch: too many attributes',
  ],
  [
    { rejectedSpans: '3' },
    { export_failed: 3 },
    'The trace collector has rejected spans of a batch: no reason was given',
  ],
  [{ errorMessage: 'use gzip' }, {}, 'The trace collector warns about an accepted batch: use gzip'],
])(
  'openTracing counts the spans that the trace collector rejects with %j as dropped, and reports the reason',
  async (partialSuccess, expected, trouble) => {
    await using collector = await openOtlpCollector(() => 200, JSON.stringify({ partialSuccess }));
    const tracing = open(collector.url);
    for (let i = 0; i < 3; i += 1) trace(tracing);
    await tracing.close();
    expect(dropped).toEqual(expected);
    expect(troubles).toEqual([trouble]);
  },
);
