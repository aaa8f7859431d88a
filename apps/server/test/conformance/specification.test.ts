import { beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { listAll, type Pet } from '../support/list-all-pets.ts';
import type { Answer } from '../support/send.ts';
import { createTestClock } from '../support/test-clock.ts';
import { useService } from '../support/test-service.ts';

// The document, from its first table to its last rule, as a client sees it that knows a base address, an API
// key and JSON.

const statuses = ['available', 'pending', 'sold'] as const;
const rex = '{"name":"Rex","categoryId":1}';

/** Keys of their own quota: three requests a day, and five a minute. */
const own = { threeADay: '', fiveAMinute: '' };

// It stands still, so no window ends.
const now = Math.floor(Date.now() / 1_000);

const service = useService('postgres', {
  clock: createTestClock(now * 1_000),
  // Every request after a 429 counts as a repeated one at once.
  env: { BAN_GRACE_MS: '0', ADDRESS_PER_MINUTE: '1000000' },
  async prepare(db) {
    const create = async (perMinute: number, perDay: number) => {
      const quota = { perMinute, perDay };
      return (await createApiKey(db, { name: 'own', plan: 'enterprise', quota })).token;
    };
    own.threeADay = await create(100, 3);
    own.fiveAMinute = await create(5, 100);
  },
});
beforeAll(async () => {
  // Forty-five of each status, and the animal with the id 1 among them.
  await Promise.all(
    Array.from({ length: 135 }, (_, i) =>
      ask('POST /pets', `{"name":"${i}","categoryId":${i},"status":"${statuses[i % 3]}"}`),
    ),
  );
  await exhaust(own.threeADay, 4);
});

function ask(request: string, json?: string, token?: string | null): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ');
  return service.call(path, {
    method,
    ...(json !== undefined && { json }),
    ...(token !== undefined && { token }),
  });
}

const list = async (query = '') => (await ask(`GET /pets${query}`)).body as Required<Pet>[];

/** Sends so many requests at once. */
const exhaust = (token: string, times: number): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, () => ask('GET /pets?limit=1', undefined, token)));

function expectFailure(answer: Answer, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/);
  const [code, message] = [expect.any(String), expect.any(String)];
  expect(answer.body).toStrictEqual({ code, message, status });
}

test.each<[request: string, status: number, json?: string]>([
  ['GET /pets', 200],
  ['POST /pets', 201, rex],
  ['GET /pets/1', 200],
  ['GET /store/orders', 501],
])('%s is there, limited, and needs a key', async (request, status, json) => {
  const { headers, ...answer } = await ask(request, json);
  expect(answer.status).toBe(status);
  expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
  expect(headers.get('X-RateLimit-Limit')).toBe('1000000');
  expect(headers.get('X-RateLimit-Remaining')).toMatch(/^\d+$/);
  expect(headers.get('X-RateLimit-Reset')).toMatch(/^\d{10}$/);
  // GET /pets/{petId} is the one deprecated operation, until 5 December 2030.
  const isDeprecated = request === 'GET /pets/1';
  expect(headers.get('Deprecation')).toEqual(isDeprecated ? expect.stringMatching(/^@\d+$/) : null);
  expect(headers.get('Sunset')).toBe(isDeprecated ? 'Thu, 05 Dec 2030 00:00:00 GMT' : null);

  expectFailure(await ask(request, json, null), 401);
  expectFailure(await ask(request, json, 'ast_invalid'), 401);
  expectFailure(await ask(request, json, own.threeADay), 429);
});

const pet = (members: string) => `{"name":"Rex","categoryId":1,${members}}`;
const badLimits = ['0', '101', '-1', '1.5', 'ten', '', '1e1', '0x10', '%205', '9'.repeat(20)];
const badStatuses = ['Available', 'AVAILABLE', 'lost', '', '%20sold', 'sold%20', 'sold,pending'];

test.each<[status: number, request: string, json?: string]>([
  ...badLimits.map((it): [number, string] => [400, `GET /pets?limit=${it}`]),
  ...badStatuses.map((it): [number, string] => [400, `GET /pets?status=${it}`]),
  ...badStatuses.map((it): [number, string, string] => [
    400,
    'POST /pets',
    pet(`"status":"${decodeURIComponent(it)}"`),
  ]),
  [400, 'POST /pets', pet('"status":null')],
  ...['{}', '{"categoryId":1}', '{"name":"Rex"}'].map((it): [number, string, string] => [
    400,
    'POST /pets',
    it,
  ]),
  ...['7', 'null', '""'].map((it): [number, string, string] => [
    400,
    'POST /pets',
    pet(`"name":${it}`),
  ]),
  ...['"1"', '1.5', 'null', '1e19'].map((it): [number, string, string] => [
    400,
    'POST /pets',
    pet(`"categoryId":${it}`),
  ]),
  ...['one', '1.5', '9223372036854775808'].map((it): [number, string] => [400, `GET /pets/${it}`]),
  [404, 'GET /pets/9223372036854775807'],
])('an Error with %d is the answer to %s %s', async (status, request, json) => {
  expectFailure(await ask(request, json), status);
});

test.each([
  ...statuses.map((status) => `"Max","categoryId":1,"status":"${status}"`),
  ...['9007199254740993', '-9223372036854775808', '9223372036854775807'].map(
    (categoryId) => `"Wide","categoryId":${categoryId},"status":"sold"`,
  ),
])('an animal gets an id, and stays as it was added: %s', async (members) => {
  const created = await ask('POST /pets', `{"name":${members}}`);
  const { id } = created.body as Pet;
  expect([created.status, created.text]).toEqual([201, `{"id":${id},"name":${members}}`]);
  expect((await ask(`GET /pets/${id}`)).text).toBe(created.text);
  // Rule 2 of GET /pets/{petId}, and rule 3 of GET /pets: it is on one page of the list.
  expect((await ask(`GET /pets?status=sold&ids=${id}`)).text).toBe(
    members.includes('sold') ? `[${created.text}]` : '[]',
  );
  const all = await listAll(service.server, service.tokens.enterprise);
  expect(all.get(id)).toEqual(created.body);
});

test('limit is the number of animals, status is theirs, and neither means 20 of all', async () => {
  for (const limit of [1, 3, 100]) expect(await list(`?limit=${limit}`)).toHaveLength(limit);
  for (const status of statuses) {
    const found = (await list(`?status=${status}&limit=40`)).map((it) => it.status);
    expect(found).toEqual(Array.from({ length: 40 }, () => status));
    expect(await list(`?status=${status}`)).toHaveLength(20);
  }
  expect(await list()).toHaveLength(20);
  expect(new Set((await list('?limit=100')).map((it) => it.status))).toEqual(new Set(statuses));
});

test.each([
  ['free', 60, 1_000],
  ['pro', 300, 10_000],
  ['business', 1_000, 100_000],
] as const)('%s has %s requests per minute and %s per day', async (plan, minute, day) => {
  const answers = await exhaust(service.tokens[plan], minute + 5);
  expect(answers.filter(({ status }) => status !== 429)).toHaveLength(minute);
  for (const { headers } of answers) {
    expect(headers.get('X-RateLimit-Limit')).toBe(String(minute));
    const policy = `"minute";q=${minute};w=60, "day";q=${day};w=86400`;
    expect(headers.get('RateLimit-Policy')).toBe(policy);
  }
});

test('the headers of the limit count down to its reset, and a 429 says when to retry', async () => {
  const numbers = ({ headers }: Answer) =>
    ['Limit', 'Remaining', 'Reset'].map((it) => Number(headers.get(`X-RateLimit-${it}`)));
  const [, before = 0, reset = 0] = numbers(await ask('GET /pets'));
  expect(reset - now).toSatisfy((seconds: number) => seconds > 0 && seconds <= 60);
  expect(numbers(await ask('GET /pets'))[1]).toBe(before - 1);

  const denied = await ask('GET /pets', undefined, own.threeADay);
  const [limit, remaining, resetAt = 0] = numbers(denied);
  expect([limit, remaining]).toEqual([3, 0]);
  expect(Number(denied.headers.get('Retry-After'))).toBe(resetAt - now);
  expect(resetAt - now).toBeGreaterThan(60);
});

test('repeated requests after a 429 lead to a temporary ban', async () => {
  await exhaust(own.fiveAMinute, 40);
  const answer = await ask('GET /pets', undefined, own.fiveAMinute);
  expectFailure(answer, 429);
  expect(answer.body).toMatchObject({ code: 'key_temporarily_banned' });
});

test('the version is in the path', async () => {
  expect(service.server.baseUrl).toMatch(/^http:\/\/[^/]+\/v1$/);
  const headers = { Authorization: `Bearer ${service.tokens.enterprise}` };
  for (const path of ['/pets', '/v2/pets']) {
    expect((await fetch(service.server.origin + path, { headers })).status).toBe(404);
  }
});
