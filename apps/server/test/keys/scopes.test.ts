import type { AuditEntry, IssuedKey } from '@animal-store/admin-contract';
import { expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';

const both = ['pets:read', 'pets:write'];
const pet = '{"name":"Mia","categoryId":3}';
const { service, admin } = useAdmin();

const create = (scopes?: readonly string[]) =>
  admin.create(JSON.stringify({ plan: 'pro', name: 'scoped', scopes }));
const change = (id: string, scopes: unknown) =>
  admin.call(`/keys/${id}`, { method: 'PATCH', json: JSON.stringify({ scopes }) });
const statusOf = async (path: string, options: object) =>
  (await service.call(path, options)).status;

// `error-examples.test.ts` tests which operation needs which scope.
test('the service refuses and counts a request whose API key lacks the required scope, and names the scope in the error', async () => {
  const { token: reads } = await create(['pets:read']);
  const { token: writes } = await create(['pets:write']);
  const answer = await service.call('/rate-limit', { token: writes });
  expectError(answer, 403, 'insufficient_scope', /lacks the scope pets:read, which/);
  expect(answer.headers.get('WWW-Authenticate')).toBe(
    'Bearer realm="animal-store", error="insufficient_scope", scope="pets:read"',
  );
  // The refused request counts against the API key's quota, not against the separate limit of 60
  // requests for `GET /rate-limit`.
  expect(rateLimitOf(answer)).toMatchObject({ limit: 300, remaining: 299 });
  expect(await statusOf('/pets', { method: 'HEAD', token: writes })).toBe(403);
  expect(await statusOf('/nowhere', { token: writes })).toBe(404);
  expect(await statusOf('/pets', { method: 'DELETE', token: reads })).toBe(405);
  const before = (await service.call('/pets')).text;
  expect(await statusOf('/pets', { token: reads, json: pet })).toBe(403);
  expect((await service.call('/pets')).text).toBe(before);
  expect(await statusOf('/pets', { token: writes, json: pet })).toBe(201);
});

test('the service checks the quota before the scope, and the scope before the body', async () => {
  const quota = { perMinute: 1, perDay: 10 };
  const key = { name: 'late', plan: 'enterprise', quota, scopes: ['pets:read'] };
  const { token } = await admin.create(JSON.stringify(key));
  expect(await statusOf('/pets', { token, json: 'no JSON' })).toBe(403);
  expect(await statusOf('/pets', { token, json: pet })).toBe(429);
});

test("a change of an API key's scopes applies from the next request on, and a rotation of the token keeps the new scopes", async () => {
  const { key, token } = await create();
  expect(key.scopes).toEqual(both);
  expect(await statusOf('/pets', { token, json: pet })).toBe(201);
  expect((await change(key.id, both.toReversed())).body).toEqual(key);
  expect((await change(key.id, ['pets:read'])).body).toEqual({ ...key, scopes: ['pets:read'] });
  expect(await statusOf('/pets', { token, json: pet })).toBe(403);
  expect(await statusOf('/pets', { token })).toBe(200);
  const [entry, created] = await admin.read<AuditEntry[]>(`/audit?keyId=${key.id}`);
  expect(created?.action).toBe('key.created');
  expect(entry).toMatchObject({ before: { scopes: both }, after: { scopes: ['pets:read'] } });
  const rotated = await admin.call(`/keys/${key.id}/rotate`, { json: '{}' });
  const next = (rotated.body as IssuedKey).token;
  expect(await statusOf('/pets', { token: next, json: pet })).toBe(403);
});

const expected = 'scopes: expected one or more of pets:read, pets:write, each once, got';

test.each<[scopes: unknown, message: string | RegExp]>([
  [[], `${expected} an array`],
  [['pets:read', 'pets:read'], `${expected} an array`],
  [['pets:read', 1], 'scopes.1: expected one of pets:read, pets:write, got 1'],
  [Array(3_000).fill('x'), /^.{1,1100}$/],
])(
  'the admin API refuses the invalid scopes %j when an API key is created or changed',
  async (scopes, message) => {
    const json = JSON.stringify({ plan: 'free', name: 'x', scopes });
    const { key } = await create();
    const text = typeof message === 'string' ? message : expect.stringMatching(message);
    const refusal = { code: 'invalid_request', message: text, status: 400 };
    expect((await admin.call('/keys', { json })).body).toEqual(refusal);
    expect((await change(key.id, scopes)).body).toEqual(refusal);
    expect((await admin.call(`/keys/${key.id}`)).body).toMatchObject({ scopes: both });
  },
);

// The database itself enforces the scopes. API keys that earlier versions insert get both scopes.
test('the database table of API keys refuses an API key without a scope, and gives new API keys both scopes by default', async () => {
  const { db } = service.database;
  const insert = `insert into api_keys (plan`;
  await expect(db.execute(`${insert}, scopes) values ('free', '{}')`)).rejects.toThrow();
  const rows = await db.execute(`${insert}) values ('free') returning scopes::text`);
  expect(JSON.stringify(rows)).toContain('{pets:read,pets:write}');
});
