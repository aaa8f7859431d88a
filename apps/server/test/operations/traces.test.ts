import { openRedis, until } from '@animal-store/testkit';
import { beforeAll, expect, test, vi } from 'vitest';
import { beginCreation } from '../support/held-request.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { openOtlpCollector } from '../support/otlp-collector.ts';
import { startService } from '../support/test-service.ts';

const [server, client] = [2, 3];
const traceId = '0af7651916cd43dd8448eb211c80319c';
const unsampledId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpanId = 'b7ad6b7169203331';

let resource: unknown;
/** How many batches were sent. */
let batches: number;
let spans: ReturnType<Awaited<ReturnType<typeof openOtlpCollector>>['spans']>;
let lines: ReturnType<typeof logOf>;

/** The span of the request with an id. */
const spanOf = (id: string) =>
  spans.find(({ attributes }) => attributes['animal_store.request_id'] === id);

beforeAll(async () => {
  await using collector = await openOtlpCollector();
  await using redis = await openRedis();
  // What OpenTelemetry itself reads.
  vi.stubEnv('OTEL_SERVICE_NAME', 'shop');
  const attributes = 'deployment.environment.name=staging,service.name=unused';
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', attributes);
  await using service = await startService('postgres', {
    env: {
      REDIS_URL: redis.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
    },
    async prepare(db) {
      await db.execute(`alter table pets add check (name <> 'Unlucky')`);
    },
  });
  const call = (
    id: string,
    path: string,
    { headers = {}, ...options }: Parameters<typeof service.call>[1] = {},
  ) => service.call(path, { ...options, headers: { 'X-Request-Id': id, ...headers } });
  const traceparent = `00-${traceId}-${callerSpanId}-01`;
  await call('traced', '/pets?limit=1', { headers: { traceparent, tracestate: 'vendor=opaque' } });
  const unsampled = `00-${unsampledId}-${callerSpanId}-00`;
  await call('unsampled', '/pets', { headers: { traceparent: unsampled } });
  await call('nonsense', '/pets', { headers: { traceparent: 'nonsense' } });
  await call('refused', '/pets/secret');
  const headers = { 'X-Forwarded-Proto': 'https' };
  await call('unknown', '/secret', { method: 'PROPFIND', headers });
  await call('failed', '/pets', { json: '{"name":"Unlucky","categoryId":1}' });
  // A stop sends what is still held.
  await service.server.stop();
  vi.unstubAllEnvs();
  lines = logOf(service.server).filter((line) => 'requestId' in line);
  [resource, batches, spans] = [
    collector.resource(),
    collector.received().split('\n').length,
    collector.spans(),
  ];
});

test('the span of a request belongs to the trace of its caller, and statements and commands are its children', () => {
  const [request, calls] = [server, client].map((of) =>
    spans.filter((span) => span.traceId === traceId && span.kind === of),
  );
  expect(request).toEqual([
    {
      name: 'GET /v1/pets',
      kind: server,
      traceId,
      spanId: expect.stringMatching(/^[\da-f]{16}$/),
      parentSpanId: callerSpanId,
      isError: false,
      lifetime: [expect.any(BigInt), expect.any(BigInt)],
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/pets',
        'http.response.status_code': 200,
        'url.path': '/v1/pets',
        'url.scheme': 'http',
        'animal_store.request_id': 'traced',
        'animal_store.key_id': expect.stringMatching(/^[\da-f-]{36}$/),
        'animal_store.plan': 'enterprise',
        'animal_store.quota': 'admitted',
      },
    },
  ]);
  const child = (system: string, name: string) => ({
    ...{ name, parentSpanId: request?.[0]?.spanId },
    attributes: { 'db.system.name': system, 'db.operation.name': name },
  });
  expect(calls).toMatchObject([
    child('postgresql', 'find_key_by_token'),
    child('redis', 'decide_quotas'),
    child('postgresql', 'list_pets'),
  ]);
});

test('the variables of OpenTelemetry say what spans are from and how many are sent at once', () => {
  expect(resource).toMatchObject({
    'service.name': 'shop',
    'service.version': expect.any(String),
    'service.instance.id': expect.any(String),
    'host.name': expect.any(String),
    'deployment.environment.name': 'staging',
    'telemetry.sdk.name': 'opentelemetry',
  });
  expect(batches).toBe(spans.length);
});

test('a request that is refused is no error of the server, and its path is not repeated', () => {
  const common = {
    'url.scheme': 'http',
    'animal_store.key_id': expect.any(String),
    'animal_store.plan': 'enterprise',
    'animal_store.quota': 'admitted',
  };
  expect(spanOf('refused')).toMatchObject({ name: 'GET /v1/pets/:petId', isError: false });
  expect(spanOf('refused')?.attributes).toEqual({
    ...common,
    'animal_store.request_id': 'refused',
    'http.request.method': 'GET',
    'http.route': '/v1/pets/:petId',
    'http.response.status_code': 400,
    'url.path': '/v1/pets/REDACTED',
    'animal_store.error_code': 'invalid_request',
  });
  expect(spanOf('unknown')).toMatchObject({ name: 'HTTP', isError: false });
  expect(spanOf('unknown')?.attributes).toEqual({
    ...common,
    'animal_store.request_id': 'unknown',
    'http.request.method': '_OTHER',
    'http.request.method_original': 'PROPFIND',
    'http.response.status_code': 404,
    'url.path': '/REDACTED',
    'animal_store.error_code': 'not_found',
  });
});

test('a request that failed is an error, and the lines of requests have the ids of their traces', () => {
  const failed = { isError: true, attributes: { 'error.type': 'internal_error' } };
  expect(spanOf('failed')).toMatchObject(failed);
  const tracedBy = (id: string) =>
    lines.filter(({ requestId }) => requestId === id).map((line) => line['trace_id']);
  expect(tracedBy('traced')).toEqual([traceId]);
  // The failure has a line, too.
  expect(tracedBy('failed')).toEqual([spanOf('failed')?.traceId, spanOf('failed')?.traceId]);
});

test('a trace that its caller does not sample is not recorded, and nonsense begins one', () => {
  expect(spanOf('unsampled')).toBeUndefined();
  expect(spanOf('nonsense')).toMatchObject({ parentSpanId: undefined });
});

// It began when the turn came, so that traces of an overload showed none.
test('the span of a request that waits for its turn begins when the request arrives', async () => {
  await using collector = await openOtlpCollector();
  await using service = await startService('postgres', {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, MAX_IN_FLIGHT: '1', MAX_WAIT_MS: '60000' },
  });
  using creation = await beginCreation(service.server, service.tokens.pro);
  const waiting = service.call('/pets');
  const gauge = 'animal_store_requests_waiting';
  await until(async () => sample(await scrape(service.server), gauge) === 1);
  const finished = creation.finish();
  await waiting;
  await service.server.stop();
  await finished;
  const [post, get] = ['POST', 'GET'].map((method) =>
    collector.spans().find(({ name }) => name === `${method} /v1/pets`),
  );
  expect(get?.lifetime[0]).toBeLessThan(post?.lifetime[1] ?? 0n);
});

test('requests and the stop succeed with a collector that is away', async () => {
  await using service = await startService('postgres', {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    // It does not wait for ever.
    timings: { observability: { traceFlushTimeoutMs: 100 } },
  });
  expect((await service.call('/pets')).status).toBe(200);
  await service.server.stop();
  expect(logOf(service.server).at(-1)?.msg).toBe('stopped');
});
