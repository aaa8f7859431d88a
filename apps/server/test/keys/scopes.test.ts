import { operations, type Scope } from '@animal-store/contract';
import type { AuditEntry, IssuedKey, KeyDetails } from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';

const both = ['pets:read', 'pets:write'];
const pet = '{"name":"Mia","categoryId":3}';

/** Every operation of the contract, as a request that has nothing wrong but its key. */
const everyOperation = Object.values(operations).map(({ method, path, metadata }) => ({
  ...{ operation: metadata.operation, scope: metadata.scope, method },
  path: path.replace(':petId', '1'),
  json: method === 'POST' ? { json: pet } : {},
}));

describe('scopes', () => {
  const { service, admin } = useAdmin();

  const create = (scopes?: readonly string[]) =>
    admin.create(JSON.stringify({ plan: 'free', name: 'scoped', scopes }));
  const change = (id: string, scopes: unknown) =>
    admin.call(`/keys/${id}`, { method: 'PATCH', json: JSON.stringify({ scopes }) });
  const show = async (id: string) => (await admin.call(`/keys/${id}`)).body as KeyDetails;
  const statusOf = async (path: string, options: object) =>
    (await service.call(path, options)).status;

  test.each([
    ...everyOperation,
    { operation: 'HEAD', method: 'HEAD', path: '/pets', scope: 'pets:read' as Scope, json: {} },
  ])('$operation needs $scope, and its refusal costs one request', async (operation) => {
    const { method, path, scope, json } = operation;
    const other = await create(both.filter((name) => name !== scope));
    const answer = await service.call(path, { method, token: other.token, ...json });
    if (method === 'HEAD') expect(answer.status).toBe(403);
    else expectError(answer, 403, 'insufficient_scope', new RegExp(`lacks the scope ${scope}\\.`));
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      `Bearer realm="animal-store", error="insufficient_scope", scope="${scope}"`,
    );
    expect(rateLimitOf(answer)).toMatchObject({ limit: 60, remaining: 59 });
    expect((await show(other.key.id)).usage.windows.day).toMatchObject({ remaining: 999 });
    const { token } = await create([scope]);
    expect(await statusOf(path, { method, token, ...json })).not.toBe(403);
  });

  test('unknown paths and methods need none, and what is refused creates nothing', async () => {
    const { token } = await create();
    const post = async (by: string) =>
      (await service.call('/pets', { token: by, json: pet })).body as { id: number };
    const { id } = await post(token);
    for (const scope of both) {
      const key = await create([scope]);
      expect(await statusOf('/nowhere', { token: key.token })).toBe(404);
      expect(await statusOf('/pets', { method: 'DELETE', token: key.token })).toBe(405);
      if (scope === 'pets:read') await post(key.token);
    }
    expect((await post(token)).id).toBe(id + 1);
  });

  test('the quota comes before the scope, and the scope before the body', async () => {
    const quota = { perMinute: 1, perDay: 10 };
    const key = { name: 'late', plan: 'enterprise', quota, scopes: ['pets:read'] };
    const { token } = await admin.create(JSON.stringify(key));
    const codeOf = async (json: string) =>
      ((await service.call('/pets', { token, json })).body as { code: string }).code;
    expect(await codeOf('no JSON')).toBe('insufficient_scope');
    expect(await codeOf(pet)).toBe('rate_limit_exceeded');
  });

  test('a new key has both; a change holds from the next request on, is recorded and rotated', async () => {
    const { key, token } = await create();
    expect(key.scopes).toEqual(both);
    expect(await statusOf('/pets', { token, json: pet })).toBe(201);
    expect((await change(key.id, both.toReversed())).body).toEqual(key);
    const changed = await change(key.id, ['pets:read']);
    expect([changed.status, changed.body]).toEqual([200, { ...key, scopes: ['pets:read'] }]);
    expect(await statusOf('/pets', { token, json: pet })).toBe(403);
    expect(await statusOf('/pets', { token })).toBe(200);
    // What changed nothing is not recorded.
    const [entry, created] = (await admin.call(`/audit?keyId=${key.id}`)).body as AuditEntry[];
    expect(created?.action).toBe('key.created');
    expect(entry).toMatchObject({ before: { scopes: both }, after: { scopes: ['pets:read'] } });
    const rotated = await admin.call(`/keys/${key.id}/rotate`, { json: '{}' });
    const next = (rotated.body as IssuedKey).token;
    expect(await statusOf('/pets', { token: next, json: pet })).toBe(403);
  });

  const expected = 'expected one or more of pets:read, pets:write, each once';
  const oneOf = 'expected one of pets:read, pets:write';

  test.each([
    [[], `scopes: ${expected}, got an array`],
    ['pets:read', `scopes: ${expected}, got "pets:read"`],
    [['pets:read', 'pets:read'], `scopes: ${expected}, got an array`],
    [['pets:read', 1], `scopes.1: ${oneOf}, got 1`],
    [Array(3_000).fill('x'), /^.{1,1100}$/],
  ])('%j are refused, at creation and as a change', async (scopes, message) => {
    const json = JSON.stringify({ plan: 'free', name: 'x', scopes });
    const { key } = await create();
    for (const { status, body } of [
      await admin.call('/keys', { json }),
      await change(key.id, scopes),
    ]) {
      const text = typeof message === 'string' ? message : expect.stringMatching(message);
      expect([status, body]).toEqual([400, { code: 'invalid_request', message: text, status }]);
    }
    expect((await show(key.id)).scopes).toEqual(both);
  });

  // What the database itself refuses, should another program write to it.
  test('the table takes no key without a scope, and gives both to one that says nothing', async () => {
    const { db, close } = await service.database.open();
    try {
      const insert = `insert into api_keys (plan`;
      await expect(db.execute(`${insert}, scopes) values ('free', '{}')`)).rejects.toThrow();
      const rows = await db.execute(`${insert}) values ('free') returning scopes::text`);
      expect(JSON.stringify(rows)).toContain('{pets:read,pets:write}');
    } finally {
      await close();
    }
  });
});
