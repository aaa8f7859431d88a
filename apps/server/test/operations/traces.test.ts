import { systemClock } from '@animal-store/runtime';
import { openOtlpCollector, openRawServer, openRedis, until } from '@animal-store/testkit';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { beginCreation } from '../support/held-request.ts';
import { logOf, sample, scrape } from '../support/observed.ts';
import { type CallOptions, startService } from '../support/test-service.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpanId = 'b7ad6b7169203331';

let resource: unknown;
/** The number of batches of spans that the service has sent. */
let batches: number;
let spans: ReturnType<Awaited<ReturnType<typeof openOtlpCollector>>['spans']>;
let lines: ReturnType<typeof logOf>;
/** The addresses of the service, its database and Redis, as attributes of spans. */
let places: { service: object; database: object; redis: object };

/** Returns the span of the request with this request id. */
const spanOf = (id: string) =>
  spans.find(({ attributes }) => attributes['animal_store.request_id'] === id);

/** Returns the attributes of a span that identify the server in a URL. */
function serverAt(url: string) {
  const { hostname, port } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port) };
}

const nameIn = (url: string) => new URL(url).pathname.slice(1);

beforeAll(async () => {
  await using collector = await openOtlpCollector();
  await using redis = await openRedis();
  // OpenTelemetry itself reads these environment variables.
  vi.stubEnv('OTEL_SERVICE_NAME', 'shop');
  const attributes = 'deployment.environment.name=staging,service.name=unused';
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', attributes);
  await using service = await startService('postgres', {
    quotas: { redis: [redis.url] },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' },
    async prepare(db) {
      await db.execute(`alter table pets add check (name <> 'Unlucky')`);
    },
  });
  const call = (id: string, path: string, options?: CallOptions) =>
    service.call(path, {
      ...options,
      headers: { 'X-Request-Id': id, 'User-Agent': 'curl/8.5.0', ...options?.headers },
    });
  const ask = (id: string, traceparent: string) => call(id, '/pets', { headers: { traceparent } });
  await ask('traced', `00-${traceId}-${callerSpanId}-01`);
  await ask('unsampled', `00-4bf92f3577b34da6a3ce929d0e0e4736-${callerSpanId}-00`);
  await ask('nonsense', 'nonsense');
  await call('refused', '/pets/secret');
  const headers = { 'X-Forwarded-Proto': 'https' };
  await call('unknown', '/secret', { method: 'PROPFIND', headers });
  await call('failed', '/pets', { json: '{"name":"Unlucky","categoryId":1}' });
  places = {
    service: serverAt(service.server.origin),
    database: { ...serverAt(service.database.url), 'db.namespace': nameIn(service.database.url) },
    redis: { ...serverAt(redis.url), 'db.namespace': '0' },
  };
  // The service sends the remaining spans to the collector when it stops.
  await service.server.stop();
  vi.unstubAllEnvs();
  lines = logOf(service.server);
  batches = collector.received().split('\n').length;
  [resource, spans] = [collector.resource(), collector.spans()];
});

// A refused request is not an error of the server, so its span has no error type. The span shows
// `REDACTED` instead of the text that the caller chose for the path.
test.each([
  ['traced', 'GET /v1/pets', 200, '/v1/pets', {}],
  ['refused', 'GET /v1/pets/:petId', 400, '/v1/pets/REDACTED', {}],
  ['unknown', 'HTTP', 404, '/REDACTED', { 'http.request.method_original': 'PROPFIND' }],
  ['failed', 'POST /v1/pets', 500, '/v1/pets', { 'error.type': 'internal_error' }],
])(
  'the request "%s" creates the span %s with status %d, url.path %s and the attributes %j',
  (id, name, status, path, rest) => {
    const [method, route] = name.split(' ');
    const codes = { 400: 'invalid_request', 404: 'not_found', 500: 'internal_error' };
    const code = codes[status as keyof typeof codes];
    expect(spanOf(id)).toMatchObject({ name, isError: status === 500 });
    expect(spanOf(id)?.attributes).toEqual({
      'animal_store.request_id': id,
      'animal_store.key_id': expect.stringMatching(/^[\da-f-]{36}$/),
      'animal_store.plan': 'enterprise',
      'animal_store.quota': 'admitted',
      'http.request.method': method === 'HTTP' ? '_OTHER' : method,
      ...(route && { 'http.route': route }),
      'http.response.status_code': status,
      'url.path': path,
      'url.scheme': 'http',
      ...places.service,
      'network.protocol.version': '1.1',
      'client.address': '127.0.0.1',
      'user_agent.original': 'curl/8.5.0',
      ...(code && { 'animal_store.error_code': code }),
      ...rest,
    });
  },
);

test('the span of a request belongs to the trace of the caller, and the SQL statements and Redis commands of the request are its child spans', () => {
  const request = spanOf('traced');
  expect(request).toMatchObject({ traceId, parentSpanId: callerSpanId });
  const statement = (name: string) => ({
    ...{ 'db.system.name': 'postgresql', ...places.database },
    ...{ 'db.operation.name': name, 'db.query.summary': name },
  });
  // SQL statements and Redis commands have spans of kind 3 (client).
  const children = spans.filter((span) => span.kind === 3 && span.traceId === traceId);
  expect(children).toMatchObject(
    ['find_key_by_token', 'decide_quotas', 'list_pets'].map((name) => ({
      ...{ name, traceId, parentSpanId: request?.spanId },
    })),
  );
  expect(children.map(({ attributes }) => attributes)).toEqual([
    statement('find_key_by_token'),
    {
      ...{ 'db.system.name': 'redis', ...places.redis },
      ...{ 'db.operation.name': 'evalsha', 'db.stored_procedure.name': 'decide_quotas' },
    },
    statement('list_pets'),
  ]);
  // The request `unsampled` asked the service not to record its trace. The request `nonsense` had
  // an invalid trace header, so its span has no parent.
  expect(spanOf('unsampled')).toBeUndefined();
  expect(spanOf('nonsense')).toMatchObject({ parentSpanId: undefined });
});

test('the environment variables of OpenTelemetry set the resource attributes of spans, and the size of the sent batches', () => {
  const own = { 'service.version': '1.0.0', 'service.instance.id': expect.any(String) };
  const given = { 'service.name': 'shop', 'deployment.environment.name': 'staging' };
  expect(resource).toMatchObject({ ...own, 'host.name': expect.any(String), ...given });
  expect(batches).toBe(spans.length);
});

test('the log lines of traced requests and of their errors contain the trace id', () => {
  const tracedBy = (id: string) =>
    lines.filter(({ requestId }) => requestId === id).map((line) => line['trace_id']);
  expect(tracedBy('traced')).toEqual([traceId]);
  // If the trace of a request is not recorded, the log line contains no trace id, because nobody
  // could find the trace.
  expect(tracedBy('unsampled')).toEqual([undefined]);
  expect(tracedBy('failed')).toEqual([spanOf('failed')?.traceId, spanOf('failed')?.traceId]);
});

// Regression: the span began only when the load shedder started the request. So the time in the
// queue was missing, and traces did not show an overload.
test('the span of a request begins when the request arrives, even if the load shedder lets it wait', async () => {
  await using collector = await openOtlpCollector();
  await using service = await startService('postgres', {
    api: { maxInFlight: 1, maxWaitMs: 60_000 },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  using creation = await beginCreation(service.server, service.tokens.pro);
  const waiting = service.call('/pets');
  const gauge = 'animal_store_requests_waiting';
  await until(async () => sample(await scrape(service.server), gauge) === 1);
  const finished = creation.finish();
  await waiting;
  await service.server.stop();
  await finished;
  const beginningOf = (name: string) =>
    collector.spans().find((span) => span.name === name)?.beganAt ?? 0n;
  expect(beginningOf('GET /v1/pets')).toBeLessThan(beginningOf('create_pet'));
});

test('the service serves requests and shuts down when the trace collector does not respond', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '600000');
  onTestFinished(() => void vi.unstubAllEnvs());
  await using silent = await openRawServer();
  await using service = await startService('postgres', {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${silent.port}`,
      OTEL_BSP_EXPORT_TIMEOUT: '600000',
    },
    // `tracing.test.ts` tests how long a shutdown waits for the collector.
    clock: systemClock,
    observability: { traceFlushTimeoutMs: 100 },
  });
  expect((await service.call('/pets')).status).toBe(200);
  await service.server.stop();
  expect(logOf(service.server).at(-1)?.msg).toBe('stopped');
});
