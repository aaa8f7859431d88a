import { request } from 'node:http';
import { openRedis, until } from '@animal-store/testkit';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { logOf, sample, scrape } from '../support/observed.ts';
import { type OtlpCollector, openOtlpCollector } from '../support/otlp-collector.ts';
import { startService } from '../support/test-service.ts';

const [server, client] = [2, 3];
const traceId = '0af7651916cd43dd8448eb211c80319c';
const unsampledId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpanId = 'b7ad6b7169203331';

describe('what a server exports', () => {
  const stack = new AsyncDisposableStack();
  let collector: OtlpCollector;
  let lines: ReturnType<typeof logOf>;

  beforeAll(async () => {
    collector = stack.use(await openOtlpCollector());
    const redis = stack.use(await openRedis());
    // What OpenTelemetry itself reads.
    vi.stubEnv('OTEL_SERVICE_NAME', 'shop');
    const attributes = 'deployment.environment.name=staging,service.name=unused';
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', attributes);
    stack.defer(() => void vi.unstubAllEnvs());
    const service = stack.use(
      await startService('postgres', {
        env: {
          REDIS_URL: redis.url,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
        },
        async prepare(db) {
          await db.execute(`alter table pets add check (name <> 'Unlucky')`);
        },
      }),
    );
    await service.call('/pets?limit=1', {
      headers: {
        traceparent: `00-${traceId}-${callerSpanId}-01`,
        tracestate: 'vendor=opaque',
        'X-Request-Id': 'traced',
      },
    });
    await service.call('/pets', {
      headers: { traceparent: `00-${unsampledId}-${callerSpanId}-00` },
    });
    await service.call('/pets', { headers: { traceparent: 'nonsense' } });
    await service.call('/pets/secret', { headers: { 'X-Request-Id': 'refused' } });
    const headers = { 'X-Request-Id': 'unknown', 'X-Forwarded-Proto': 'https' };
    await service.call('/secret', { method: 'PROPFIND', headers });
    const json = '{"name":"Unlucky","categoryId":1}';
    await service.call('/pets', { json, headers: { 'X-Request-Id': 'failed' } });
    // A stop sends what is still held.
    await service.server.stop();
    lines = logOf(service.server).filter((line) => 'requestId' in line);
    return () => stack.disposeAsync();
  });

  test('the span of a request belongs to the trace of its caller, and statements and commands are its children', () => {
    const spans = collector.spans().filter((span) => span.traceId === traceId);
    const [request] = spans.filter(({ kind }) => kind === server);
    expect(request).toEqual({
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
    });
    const calls = spans.filter(({ kind }) => kind === client);
    expect(calls.map(({ name }) => name)).toEqual([
      'find_key_by_token',
      'decide_quotas',
      'list_pets',
    ]);
    expect(new Set(calls.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set([request?.spanId]),
    );
    expect(calls.map(({ attributes }) => attributes)).toEqual([
      { 'db.system.name': 'postgresql', 'db.operation.name': 'find_key_by_token' },
      { 'db.system.name': 'redis', 'db.operation.name': 'decide_quotas' },
      { 'db.system.name': 'postgresql', 'db.operation.name': 'list_pets' },
    ]);
  });

  test('the variables of OpenTelemetry say what spans are from and how many are sent at once', () => {
    expect(collector.resource()).toMatchObject({
      'service.name': 'shop',
      'service.version': expect.any(String),
      'service.instance.id': expect.any(String),
      'host.name': expect.any(String),
      'deployment.environment.name': 'staging',
      'telemetry.sdk.name': 'opentelemetry',
    });
    expect(collector.received().split('\n')).toHaveLength(collector.spans().length);
  });

  test('a request that is refused is no error of the server, and its path is not repeated', () => {
    const ofId = (id: string) =>
      collector.spans().find((one) => one.attributes['animal_store.request_id'] === id);
    const common = {
      'url.scheme': 'http',
      'animal_store.key_id': expect.any(String),
      'animal_store.plan': 'enterprise',
      'animal_store.quota': 'admitted',
    };
    expect(ofId('refused')).toMatchObject({ name: 'GET /v1/pets/:petId', isError: false });
    expect(ofId('refused')?.attributes).toEqual({
      ...common,
      'animal_store.request_id': 'refused',
      'http.request.method': 'GET',
      'http.route': '/v1/pets/:petId',
      'http.response.status_code': 400,
      'url.path': '/v1/pets/REDACTED',
      'animal_store.error_code': 'invalid_request',
    });
    expect(ofId('unknown')).toMatchObject({ name: 'HTTP', isError: false });
    expect(ofId('unknown')?.attributes).toEqual({
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
    const failed = collector.spans().filter((span) => span.kind === server && span.isError);
    expect(failed.map(({ attributes }) => attributes)).toMatchObject([
      { 'animal_store.request_id': 'failed', 'error.type': 'internal_error' },
    ]);
    const linesOf = (id: string) => lines.filter(({ requestId }) => requestId === id);
    expect(linesOf('traced')).toMatchObject([{ trace_id: traceId }]);
    expect(linesOf('failed')).toHaveLength(2);
    expect(lines.filter((line) => 'trace_id' in line)).toHaveLength(lines.length - 1);
  });

  test('a trace that its caller does not sample is not recorded, and nonsense begins one', () => {
    const requests = collector.spans().filter(({ kind }) => kind === server);
    expect(requests).toHaveLength(5);
    expect(requests.map((span) => span.traceId)).not.toContain(unsampledId);
    const begun = requests.filter((span) => span.traceId !== traceId);
    expect(begun.map(({ parentSpanId }) => parentSpanId)).toEqual(begun.map(() => undefined));
  });
});

// It began when the turn came, so that traces of an overload showed none.
test('the span of a request that waits for its turn begins when the request arrives', async () => {
  await using collector = await openOtlpCollector();
  await using service = await startService('postgres', {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, MAX_IN_FLIGHT: '1', MAX_WAIT_MS: '60000' },
  });
  const one = (gauge: string) =>
    until(async () => sample(await scrape(service.server), `animal_store_requests_${gauge}`) === 1);
  const headers = {
    Authorization: `Bearer ${service.tokens.pro}`,
    'Content-Type': 'application/json',
    'Content-Length': 2,
  };
  const first = request(`${service.server.baseUrl}/pets`, { method: 'POST', headers });
  first.flushHeaders();
  await one('in_flight');
  const waiting = service.call('/pets');
  await one('waiting');
  first.on('response', (response) => response.resume()).end('{}');
  await waiting;
  await service.server.stop();
  const requests = collector.spans().filter(({ kind }) => kind === server);
  const [post, get] = ['POST', 'GET'].map((method) =>
    requests.find(({ name }) => name === `${method} /v1/pets`),
  );
  expect(get?.lifetime[0]).toBeLessThan(post?.lifetime[1] ?? 0n);
});

test.each<[what: string, endpointOf: (collector: OtlpCollector) => string]>([
  ['is away', () => 'http://127.0.0.1:9'],
  ['refuses what it is sent', ({ url }) => `${url}/elsewhere`],
])('requests and the stop succeed with a collector that %s', async (_, endpointOf) => {
  await using collector = await openOtlpCollector();
  await using service = await startService('postgres', {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpointOf(collector) },
    // It does not wait for ever.
    timings: { observability: { traceFlushTimeoutMs: 100 } },
  });
  expect((await service.call('/pets')).status).toBe(200);
  await service.server.stop();
  expect(logOf(service.server).at(-1)?.msg).toBe('stopped');
});
