import { operations, type Scope } from '@animal-store/contract';
import type { AuditEntry, IssuedKey, KeyDetails } from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';

const both = ['pets:read', 'pets:write'];
const pet = '{"name":"Mia","categoryId":3}';

const otherScope: Readonly<Record<Scope, Scope>> = {
  'pets:read': 'pets:write',
  'pets:write': 'pets:read',
};

/** Every operation of the contract, as a request that has nothing wrong but its key. */
const everyOperation = Object.values(operations).map(({ method, path, metadata }) => ({
  operation: metadata.operation,
  method,
  path: path.replace(':petId', '1'),
  scope: metadata.scope,
  json: method === 'POST' ? { json: pet } : {},
}));

describe('scopes', () => {
  const { service, admin } = useAdmin();

  const create = (scopes?: readonly string[], plan = 'free') =>
    admin.create(JSON.stringify({ plan, scopes }));
  const change = (id: string, json: string) => admin.call(`/keys/${id}`, { method: 'PATCH', json });
  const show = async (id: string) => (await admin.call(`/keys/${id}`)).body as KeyDetails;
  const statusOf = async (path: string, options: object) =>
    (await service.call(path, options)).status;

  describe.each(everyOperation)('$operation', ({ method, path, scope, json }) => {
    test(`is refused to a key without ${scope}`, async () => {
      const { token } = await create([otherScope[scope]]);
      const answer = await service.call(path, { method, token, ...json });
      expectError(answer, 403, 'insufficient_scope', new RegExp(`lacks the scope ${scope}\\.`));
      expect(answer.headers.get('WWW-Authenticate')).toBe(
        `Bearer realm="animal-store", error="insufficient_scope", scope="${scope}"`,
      );
    });

    test('costs a key that it is refused to one request of its quota', async () => {
      const { key, token } = await create([otherScope[scope]]);
      const answer = await service.call(path, { method, token, ...json });
      expect(rateLimitOf(answer)).toMatchObject({ limit: 60, remaining: 59 });
      expect((await show(key.id)).usage.windows).toMatchObject({
        minute: { remaining: 59 },
        day: { remaining: 999 },
      });
    });

    test(`is allowed to a key with nothing but ${scope}`, async () => {
      const { token } = await create([scope]);
      expect(await statusOf(path, { method, token, ...json })).not.toBe(403);
    });
  });

  test('a new key has both', async () => {
    const { key, token } = await create();
    expect(key.scopes).toEqual(both);
    expect(await statusOf('/pets', { token })).toBe(200);
    expect(await statusOf('/pets', { token, json: pet })).toBe(201);
  });

  test('HEAD needs what GET needs', async () => {
    const { token } = await create(['pets:write']);
    const { status, headers } = await service.call('/pets', { method: 'HEAD', token });
    expect([status, headers.get('WWW-Authenticate')]).toEqual([
      403,
      'Bearer realm="animal-store", error="insufficient_scope", scope="pets:read"',
    ]);
  });

  test.each(both)(
    'unknown paths and methods need none: a key with %s gets 404 and 405',
    async (scope) => {
      const { token } = await create([scope]);
      expect(await statusOf('/nowhere', { token })).toBe(404);
      expect(await statusOf('/pets', { method: 'DELETE', token })).toBe(405);
    },
  );

  test('the quota comes before the scope, and the scope before the body', async () => {
    const quota = { perMinute: 1, perDay: 10 };
    const { token } = await admin.create(
      JSON.stringify({ plan: 'enterprise', quota, scopes: ['pets:read'] }),
    );
    const post = async (options: object) =>
      (await service.call('/pets', { token, ...options })).body as { code: string };
    expect((await post({ json: 'no JSON' })).code).toBe('insufficient_scope');
    expect((await post({ json: pet })).code).toBe('rate_limit_exceeded');
  });

  test('nothing is created without pets:write', async () => {
    const writer = (await create()).token;
    const reader = (await create(['pets:read'])).token;
    const post = async (token: string) =>
      (await service.call('/pets', { token, json: pet })).body as { id: number };
    const { id } = await post(writer);
    expect(await post(reader)).not.toHaveProperty('id');
    expect((await post(writer)).id).toBe(id + 1);
  });

  describe('a change', () => {
    test('applies to the next request, leaves the rest and is recorded', async () => {
      const { key, token } = await create();
      const changed = await change(key.id, '{"scopes":["pets:read"]}');
      expect(changed.status).toBe(200);
      expect(changed.body).toEqual({ ...key, scopes: ['pets:read'] });
      expect(await statusOf('/pets', { token, json: pet })).toBe(403);
      expect(await statusOf('/pets', { token })).toBe(200);
      const [entry] = (await admin.call(`/audit?keyId=${key.id}`)).body as AuditEntry[];
      expect(entry).toMatchObject({
        action: 'key.changed',
        before: { scopes: both },
        after: { scopes: ['pets:read'] },
      });
      expect((await change(key.id, '{"name":"x"}')).body).toMatchObject({ scopes: ['pets:read'] });
    });

    test('to the same in another order changes and records nothing', async () => {
      const { key } = await create(both.toReversed());
      expect(key.scopes).toEqual(both);
      expect((await change(key.id, '{"scopes":["pets:write","pets:read"]}')).body).toEqual(key);
      expect((await admin.call(`/audit?keyId=${key.id}`)).body).toHaveLength(1);
    });

    test('is kept by a rotation', async () => {
      const { key } = await create(['pets:read']);
      const { body } = await admin.call(`/keys/${key.id}/rotate`, { json: '{}' });
      const { token } = body as IssuedKey;
      expect(await statusOf('/pets', { token, json: pet })).toBe(403);
    });

    test('of many at once leaves the last in the audit log', async () => {
      const { key } = await create();
      const wanted = [['pets:read'], ['pets:write'], both];
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, n) =>
          change(key.id, JSON.stringify({ scopes: wanted[n % 3] })),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const entries = (await admin.call(`/audit?keyId=${key.id}&limit=100`)).body as AuditEntry[];
      const steps = entries.toReversed().map(({ after }) => after.scopes);
      expect((await show(key.id)).scopes).toEqual(steps.at(-1));
      expect(entries.slice(0, -1).map(({ before }) => before.scopes)).toEqual(
        steps.toReversed().slice(1),
      );
    });
  });

  const expected = 'expected one or more of pets:read, pets:write, each once';

  test.each([
    ['[]', `scopes: ${expected}, got an array`],
    ['null', `scopes: ${expected}, got null`],
    ['"pets:read"', `scopes: ${expected}, got "pets:read"`],
    ['{}', `scopes: ${expected}, got an object`],
    ['["pets:read","pets:read"]', `scopes: ${expected}, got an array`],
    ['["pets:sell"]', 'scopes.0: expected one of pets:read, pets:write, got "pets:sell"'],
    ['["PETS:READ"]', 'scopes.0: expected one of pets:read, pets:write, got "PETS:READ"'],
    ['["pets:read",1]', 'scopes.1: expected one of pets:read, pets:write, got 1'],
    ['["*"]', 'scopes.0: expected one of pets:read, pets:write, got "*"'],
    ['[["pets:read"]]', 'scopes.0: expected one of pets:read, pets:write, got an array'],
  ])('%s are refused, at creation and as a change', async (scopes, message) => {
    const refused = { code: 'invalid_request', message, status: 400 };
    const created = await admin.call('/keys', { json: `{"plan":"free","scopes":${scopes}}` });
    expect([created.status, created.body]).toEqual([400, refused]);
    const { key } = await create();
    const changed = await change(key.id, `{"scopes":${scopes}}`);
    expect([changed.status, changed.body]).toEqual([400, refused]);
    expect((await show(key.id)).scopes).toEqual(both);
  });

  test('a list of thousands is refused with a short message', async () => {
    const scopes = Array.from({ length: 3_000 }, () => 'x');
    const { status, text } = await admin.call('/keys', {
      json: JSON.stringify({ plan: 'free', scopes }),
    });
    expect(status).toBe(400);
    expect(Buffer.byteLength(text)).toBeLessThan(1_200);
  });
});

// What the database itself refuses, should another program write to it.
describe('the table of keys', () => {
  const { service } = useAdmin();

  test('takes no key without a scope, and gives both to one that says nothing', async () => {
    const { db, close } = await service.database.open();
    try {
      await expect(
        db.execute(`insert into api_keys (plan, scopes) values ('free', '{}')`),
      ).rejects.toThrow();
      const rows = await db.execute(
        `insert into api_keys (plan) values ('free') returning scopes::text`,
      );
      expect(JSON.stringify(rows)).toContain('{pets:read,pets:write}');
    } finally {
      await close();
    }
  });
});
