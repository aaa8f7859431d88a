import { type Server, startServer } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiError, type ClientOptions, createClient } from '../../src/index.ts';
import { createTestService } from '../../src/testing/index.ts';
import { rejection } from '../rejection.ts';

// Against the real service. Each test has keys of its own.

const mia = { name: 'Mia', categoryId: 3 };

let server: Server;
beforeAll(async () => {
  server = await startServer({ env: { ADMIN_TOKEN: 'an-admin-token-for-tests' } });
});
afterAll(() => server[Symbol.asyncDispose]());

async function askAdmin(path: string, body: object = {}) {
  const response = await fetch(`${server.opsUrl}/admin/v1${path}`, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer an-admin-token-for-tests',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
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
  await store.rateLimit();
  await store.listPets();
  await store.listPets();
  expect(await rejection(store.listPets())).toMatchObject({ name: 'RateLimitError', attempts: 0 });
  const resetsAt = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(await store.rateLimit()).toEqual({
    plan: 'enterprise',
    subject: 'key',
    windows: {
      minute: { limit: 2, remaining: 0, resetsAt },
      day: { limit: 1_000, remaining: 998, resetsAt },
    },
    bannedUntil: null,
    warned: false,
  });
});

/** What the test service answers like the real one; its animals are those of the real one. */
const requests: [line: string, idempotencyKey?: string][] = [
  ...[1, 2, 3].map((n): [string] => [`POST /pets {"name":"n${n}","categoryId":3}`]),
  ['POST /pets {"name":"Tom","categoryId":9223372036854775807,"status":"sold","id":7}'],
  ['POST /pets {"name":"Mia","categoryId":3}', 'once'],
  ['POST /pets {"name":"Mia","categoryId":3}', 'once'],
  ['POST /pets {"name":"Tom","categoryId":3}', 'once'],
  ['POST /pets []'],
  ['POST /pets {"name":"","categoryId":1.5,"status":"lost"}'],
  ['POST /pets {"name":" ","categoryId":3}'],
  ['POST /pets {"name":"Mia\\u202e","categoryId":3}'],
  ['POST /pets {"name":"a\\n","categoryId":9223372036854775808}'],
  ['POST /pets {'],
  ['POST /pets'],
  ['GET /pets'],
  ['GET /pets?limit=2&status=available&categoryId=3'],
  ['GET /pets?limit=101&status=lost'],
  ['GET /pets?limit=1e1&categoryId=03'],
  ['GET /pets?cursor=x'],
  ['GET /pets?unknown=1'],
  ['GET /pets?ids=3,1,99,1&categoryId=3&status=available'],
  ['GET /pets?ids=3&ids=99,1'],
  ['GET /pets?ids=1&limit=5&cursor=x'],
  ['GET /pets?ids=1,x&limit=0'],
  [`GET /pets?ids=${Array.from({ length: 101 }, () => 1)}`],
  ['GET /pets/1'],
  ['GET /pets/999'],
  ['GET /pets/9223372036854775808'],
  ['PUT /pets/1'],
  ['DELETE /pets'],
  ['GET /store/orders'],
  ['POST /store/orders'],
  ['GET /nothing'],
  ['HEAD /pets'],
  ['GET /rate-limit'],
];

const comparedFields =
  'allow cache-control content-type deprecation idempotent-replayed ratelimit-policy retry-after sunset www-authenticate x-ratelimit-limit x-ratelimit-remaining';

/** What an answer says, without what differs between any two services. */
async function read(response: Response) {
  const { status, headers } = response;
  const body = (await response.text())
    .replace('"plan":"business"', '"plan":"enterprise"')
    .replaceAll(/"resetsAt":"[^"]*"/g, '');
  const place = (name: string) =>
    headers.get(name)?.replaceAll(/https?:\/\/[^/]*|cursor=[^&>]*/g, '');
  const fields = comparedFields.split(' ').map((name) => [name, headers.get(name)]);
  const hasId = headers.has('x-request-id');
  return { status, body, link: place('link'), location: place('location'), fields, hasId };
}

test('the test service answers like the real one', async () => {
  const { token } = await createKey({});
  const pets = await createClient({ baseUrl: server.baseUrl, apiKey: token }).eachPet().toArray();
  const service = createTestService({ pets });
  await createClient(service.clientOptions).eachPet().toArray();
  const { baseUrl, apiKey } = service.clientOptions;
  for (const [line, idempotencyKey] of requests) {
    const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(line) ?? [];
    const init = (key: string) => ({
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body }),
      redirect: 'manual' as const,
      signal: new AbortController().signal,
    });
    const real = await fetch(server.baseUrl + path, init(token));
    const fake = await service.clientOptions.fetch(baseUrl + path, init(apiKey));
    expect(await read(fake as Response), line).toEqual(await read(real));
  }
});

test.each([
  ['pets:read', 'createPet'],
  ['pets:write', 'rateLimit'],
  ['suspended', 'listPets'],
] as const)(
  'the test service refuses a key with %s alone that calls %s, too',
  async (scope, operation) => {
    const scopes = scope === 'suspended' ? undefined : [scope];
    const { key, token: apiKey } = await createKey({ scopes });
    const service = createTestService({ scopes });
    if (scope === 'suspended') {
      await askAdmin(`/keys/${key.id}/suspend`);
      service.failNext('key_suspended');
    }
    async function refusal(options: ClientOptions) {
      const error = (await rejection(createClient(options)[operation](mia))) as ApiError;
      const { name, status, body, attempts, headers } = error;
      return { name, status, body, attempts, challenge: headers.get('WWW-Authenticate') };
    }
    const expected = await refusal({ baseUrl: server.baseUrl, apiKey });
    expect(expected).toMatchObject({ status: 403, attempts: 1 });
    expect(await refusal(service.clientOptions)).toEqual(expected);
  },
);
