import { type Server, startServer } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiError, type ClientOptions, createClient, isApiError } from '../../src/index.ts';
import { createTestService } from '../../src/testing/index.ts';
import { rejection } from '../rejection.ts';

// Against the real service. Each test has keys of its own.

const mia = { name: 'Mia', categoryId: 3 };

let server: Server;
beforeAll(async () => {
  server = await startServer({ env: { ADMIN_TOKEN: 'an-admin-token-for-tests' } });
});
afterAll(() => server[Symbol.asyncDispose]());

async function askAdmin(path: string, body?: object) {
  const response = await fetch(`${server.opsUrl}/admin/v1${path}`, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer an-admin-token-for-tests',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as { key: { id: string }; token: string };
}
const createKey = (more: object) =>
  askAdmin('/keys', { name: 'client', plan: 'business', ...more });

test('rateLimit() tells of both windows, costs nothing, and works while denied', async () => {
  const { baseUrl } = server;
  const quota = { perMinute: 2, perDay: 1_000 };
  const { token: apiKey } = await createKey({ plan: 'enterprise', quota });
  const store = createClient({ baseUrl, apiKey, maxRetryAfterMs: 0 });
  const status = (minute: number, day: number) => ({
    plan: 'enterprise',
    subject: 'key',
    windows: {
      minute: { limit: 2, remaining: minute, resetsAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      day: { limit: 1_000, remaining: day, resetsAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    },
    bannedUntil: null,
    warned: false,
  });

  expect(await store.rateLimit()).toEqual(status(2, 1_000));
  await store.listPets();
  await store.listPets();
  expect(await rejection(store.listPets())).toMatchObject({ name: 'RateLimitError', attempts: 0 });
  expect(await store.rateLimit()).toEqual(status(0, 998));
  const other = createClient({ baseUrl, apiKey: 'ast_unknown', maxRetries: 0 });
  expect(isApiError(await rejection(other.rateLimit()), 401)).toBe(true);
});

describe('the test service answers like the real one', () => {
  /** What an error says, without what differs between any two services. */
  const describeError = (error: unknown) => {
    const { name, status, code, detail, body, attempts, headers } = error as ApiError;
    const challenge = headers.get('WWW-Authenticate');
    return { name, status, code, detail, body, attempts, challenge };
  };
  const json = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) });

  test.each([
    ['pets:read', 'createPet'],
    ['pets:write', 'listPets'],
    ['pets:write', 'rateLimit'],
    ['suspended', 'listPets'],
  ] as const)('to a key with %s alone that calls %s', async (scope, operation) => {
    const scopes = scope === 'suspended' ? undefined : [scope];
    const { key, token: apiKey } = await createKey({ scopes });
    const service = createTestService({ scopes });
    if (scope === 'suspended') {
      await askAdmin(`/keys/${key.id}/suspend`);
      service.failNext('key_suspended');
    }
    const call = (options: ClientOptions) => rejection(createClient(options)[operation](mia));
    const error = await call({ baseUrl: server.baseUrl, apiKey });
    expect(error).toMatchObject({ status: 403, attempts: 1 });
    expect(describeError(await call(service.clientOptions))).toEqual(describeError(error));
  });

  test('in status, body and header fields', async () => {
    const { token } = await createKey({});
    const pets = await createClient({ baseUrl: server.baseUrl, apiKey: token }).eachPet().toArray();
    const service = createTestService({ pets });
    await createClient(service.clientOptions).eachPet().toArray();
    const { baseUrl, apiKey } = service.clientOptions;
    const once = { 'idempotency-key': 'once' };
    const requests: [string, { method?: string; body?: string; headers?: object }?][] = [
      ...[1, 2, 3, 4, 5].map((n): [string, object] => ['/pets', json({ ...mia, name: `n${n}` })]),
      ['/pets', { method: 'POST', body: '{"name":"x","categoryId":9223372036854775807}' }],
      ['/pets', json({ name: 'Tom', categoryId: -1, status: 'sold', id: 7, more: true })],
      ['/pets', { ...json(mia), headers: once }],
      ['/pets', { ...json(mia), headers: once }],
      ['/pets', { ...json({ ...mia, name: 'Tom' }), headers: once }],
      ...[{}, [], null, { name: '', categoryId: 1.5, status: 'lost' }].map(
        (body): [string, object] => ['/pets', json(body)],
      ),
      ...['a\n', ' ', 'Mia\u202e'].map((name): [string, object] => [
        '/pets',
        json({ ...mia, name }),
      ]),
      ['/pets', { method: 'POST', body: '{' }],
      ['/pets', { method: 'POST', body: '{"name":"x","categoryId":9223372036854775808}' }],
      ['/pets', { method: 'POST' }],
      ['/pets'],
      ['/pets?limit=2&status=available&categoryId=3'],
      ['/pets?status=pending&limit=100'],
      ['/pets?limit=0'],
      ['/pets?limit=101&status=lost'],
      ['/pets?limit=1e1'],
      ['/pets?cursor=x'],
      ['/pets?unknown=1'],
      ['/pets?ids=3,1,99,1&categoryId=3&status=available'],
      ['/pets?ids=3&ids=99,1'],
      ['/pets?ids=1&limit=5&cursor=x'],
      ['/pets?ids='],
      ['/pets?ids=1,x&limit=0'],
      [`/pets?ids=${Array.from({ length: 101 }, () => 1)}`],
      ['/pets?categoryId=03'],
      ['/pets/1'],
      ['/pets/999'],
      ['/pets/9223372036854775808'],
      ['/pets/abc'],
      ['/pets/1', { method: 'PUT' }],
      ['/pets', { method: 'DELETE' }],
      ['/store/orders'],
      ['/store/orders', { method: 'POST' }],
      ['/nothing'],
      ['/pets', { method: 'HEAD' }],
      ['/rate-limit'],
    ];

    /** What an answer says, without what differs between any two services. */
    async function read(response: Pick<Response, 'status' | 'headers' | 'text'>) {
      const text = await response.text();
      const names =
        'allow cache-control content-type deprecation idempotent-replayed ratelimit-policy retry-after sunset www-authenticate x-ratelimit-limit x-ratelimit-remaining';
      return {
        status: response.status,
        body: text
          .replace('"plan":"business"', '"plan":"enterprise"')
          .replaceAll(/"resetsAt":"[^"]*"/g, ''),
        link: response.headers
          .get('link')
          ?.replaceAll(/<https?:\/\/[^/]*/g, '<')
          .replaceAll(/cursor=[^&>]*/g, ''),
        location: response.headers.get('location')?.replace(/^https?:\/\/[^/]*/, ''),
        headers: names.split(' ').map((name) => [name, response.headers.get(name)]),
        hasId: response.headers.has('x-request-id'),
      };
    }

    for (const [path, { method = 'GET', body, headers } = {}] of requests) {
      const init = (key: string) => ({
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        redirect: 'manual' as const,
        signal: new AbortController().signal,
      });
      const real = await fetch(server.baseUrl + path, init(token));
      const fake = await service.clientOptions.fetch(baseUrl + path, init(apiKey));
      expect(await read(fake as Response), `${method} ${path} ${body ?? ''}`).toEqual(
        await read(real),
      );
    }
  });
});
