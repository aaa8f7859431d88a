import { systemClock } from '@animal-store/runtime';
import { until } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { expectError, expectErrorBody } from '../support/expectations.ts';
import { beginCreation } from '../support/held-request.ts';
import { logOf, requestLine, sample, scrape } from '../support/observed.ts';
import { send } from '../support/send.ts';
import { call, startService, useService } from '../support/test-service.ts';

const origin = 'https://pets.example.org';

/**
 * The number of requests that may be in flight. One would be too few, because a request may still
 * count as in flight when the test has already read its response.
 */
const maxInFlight = 5;

const service = useService('postgres', {
  // The service uses the clock of the machine. With a clock that stands still, waiting requests
  // would never time out.
  clock: systemClock,
  api: {
    publicUrl: origin,
    stagingOrigin: 'https://staging.example.org',
    maxInFlight,
    maxWaitMs: 1,
  },
});

const get = (path: string, headers: Record<string, string> = {}) =>
  send(service.server.origin, { method: 'GET', target: path, headers });

test('/openapi.json contains the real addresses of the service, and the security policy of /docs allows connections to them', async () => {
  const { status, text, headers } = await get('/openapi.json', { Origin: 'https://tools.example' });
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
  });
  expect(JSON.parse(text)).toMatchObject({
    openapi: '3.1.1',
    servers: [{ url: `${origin}/v1` }, { url: 'https://staging.example.org/v1' }],
  });
  const policy = (await get('/docs')).headers.get('Content-Security-Policy');
  expect(policy).toContain("; connect-src 'self' https://staging.example.org; ");
});

test('the service responds with 304 to a request for an unchanged documentation file, and with 405 to methods other than GET and HEAD', async () => {
  const target = '/openapi.json';
  const etag = String((await get(target)).headers.get('ETag'));
  const again = await get(target, { 'If-None-Match': etag });
  expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', etag]);
  expect((await get(target, { 'If-None-Match': '"another"' })).status).toBe(200);
  const head = await send(service.server.origin, { method: 'HEAD', target, headers: {} });
  expect([head.status, head.text]).toEqual([200, '']);
  const put = await send(service.server.origin, { method: 'PUT', target, headers: {} });
  expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  expect(JSON.parse(put.text)).toMatchObject({ code: 'method_not_allowed', status: 405 });
});

// Regression: a cache stored a response to a request without `Origin`. The response had no CORS
// headers, and the cache sent it to web pages of other origins, which could not read it.
test('the documentation and its files have the CORS headers in every response, because caches may store them', async () => {
  const [script = ''] = /\/docs\/docs\.[^"]*/.exec((await get('/docs')).text) ?? [];
  for (const path of ['/docs', '/openapi.json', script]) {
    const { headers } = await get(path);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Vary')).toBe('Accept-Encoding');
  }
});

test('the service responds with 204 to OPTIONS and to a CORS preflight of the documentation and its files', async () => {
  const [script = ''] = /\/docs\/docs\.[^"]*/.exec((await get('/docs')).text) ?? [];
  const preflight = {
    Origin: 'https://tools.example',
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'traceparent',
  };
  for (const target of ['/docs', '/openapi.json', script]) {
    const options = { method: 'OPTIONS', target } as const;
    const allowed = await send(service.server.origin, { ...options, headers: preflight });
    expect(allowed.status).toBe(204);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'traceparent',
    });
    const plain = await send(service.server.origin, { ...options, headers: {} });
    expect([plain.status, plain.headers.get('Allow')]).toEqual([204, 'GET, HEAD']);
  }
});

test('the path / redirects browsers to the documentation and responds with 404 to programs, and the path /favicon.ico returns an icon', async () => {
  const browser = await get('/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect([browser.status, browser.headers.get('Location')]).toEqual([302, '/docs']);
  expect((await get('/', { Accept: '*/*' })).status).toBe(404);
  const before = await get('/docs/api');
  const target = '/docs/guides/operations';
  expect([before.status, before.headers.get('Location')]).toEqual([302, target]);
  const icon = await get('/favicon.ico');
  expect([icon.status, icon.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
});

test.each([
  ['/docs/nosuch', 'GET', 404],
  ['/docs/guides/start/', 'GET', 404],
  ['/docs', 'POST', 405],
  ['/<script>', 'GET', 404],
])(
  'the service refuses %s %s with an HTML page for browsers, and with a JSON error for programs',
  async (target, method, status) => {
    const ask = (accept: string) =>
      send(service.server.origin, { method, target, headers: { Accept: accept } });
    const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(page.status).toBe(status);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("script-src 'self'"),
    });
    expect(page.text).toContain(`<h1>${status} `);
    expect(page.text).not.toContain('<script');
    const program = await ask('*/*');
    expect(program.status).toBe(status);
    expectErrorBody(program);
    expect(program.headers.get('Vary')).toContain('Accept');
  },
);

describe('public paths', () => {
  const paths = ['/docs', '/openapi.json', '/nowhere'];

  // Regression: a caller could download megabytes of documentation without any limit.
  test('a path that needs no API key has a separate rate limit for each network', async () => {
    await using limited = await startService('postgres', { quotas: { addressPerMinute: 3 } });
    const ask = (path: string) => call(limited.server.origin + path);
    const statuses = async () => {
      const answers = await Promise.all(paths.map(ask));
      return answers.map(({ status }) => status).toSorted();
    };
    const [script = ''] = /\/docs\/docs\.[^"]*/.exec((await ask('/docs')).text) ?? [];
    for (let n = 0; n < 9; n += 1) expect(await statuses()).toEqual([200, 200, 404]);
    for (const path of ['/docs', '/openapi.json']) expect((await ask(path)).status).toBe(200);
    const refused = await ask('/docs');
    expectErrorBody(refused);
    expect(refused.text).toMatch(
      /"The limit of 30 requests a minute is used up until [-\dT:]{19}Z\. Retry after \d+ s\."/,
    );
    expect(await statuses()).toEqual([429, 429, 429]);
    const headers = { Accept: 'text/html' };
    for (const path of ['/docs', '/docs/nosuch', '/', '/favicon.ico']) {
      const page = await call(limited.server.origin + path, { headers });
      expect(page.status).toBe(429);
      expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(`Retry after ${page.headers.get('Retry-After')} s`);
    }
    // Files of the documentation are not limited. Their names contain a hash, so browsers request
    // them only once.
    expect((await ask(script)).status).toBe(200);

    // Requests for the documentation do not use up the quota of the API, neither with an API key
    // nor without one.
    expect((await limited.call('/pets')).status).toBe(200);
    for (const status of [401, 401, 401, 429]) {
      expect((await limited.call('/pets', { token: null })).status).toBe(status);
    }
  });

  test('a path that needs no API key responds with 503 while the service is overloaded', async () => {
    const { server, tokens } = service;
    await until(async () => sample(await scrape(server), 'animal_store_requests_in_flight') === 0);
    {
      using held = new DisposableStack();
      for (let i = 0; i < maxInFlight; i += 1) held.use(await beginCreation(server, tokens.free));
      for (const path of paths) {
        const refused = await call(server.origin + path);
        expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
        expectErrorBody(refused);
      }
      const url = `${server.baseUrl}/pets/7`;
      const refused = await call(url, { headers: { Origin: origin, 'X-Request-Id': 'mine' } });
      expectError(refused, 503, 'service_unavailable');
      expect(Object.fromEntries(refused.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        deprecation: expect.stringMatching(/^@\d+$/),
        link: expect.stringContaining(`<${origin}/v1/pets?ids=7>; rel="successor-version"`),
        'x-request-id': 'mine',
      });
      const head = await call(url, { method: 'HEAD' });
      expect(head).toMatchObject({ status: 503, text: '' });
      for (const name of ['Deprecation', 'Sunset', 'Link']) {
        expect(head.headers.get(name)).toBe(refused.headers.get(name));
      }
      const metrics = await scrape(server);
      expect(sample(metrics, 'animal_store_requests_shed_total')).toBe(paths.length + 2);
      const get = 'animal_store_http_requests_total{route="other",method="GET",status="503"}';
      expect(sample(metrics, get)).toBe(paths.length + 1);
    }
    const served = await until(async () => {
      const answer = await call(`${server.origin}/docs`);
      return answer.status === 200 && answer;
    });
    await requestLine(server, served.headers.get('X-Request-Id') ?? '');
    const lines = logOf(server);
    expect(lines.filter(({ msg }) => msg.includes('overloaded')).length).toBe(1);
    expect(lines.filter(({ requestId }) => requestId === 'mine')).toEqual([]);
  });
});
