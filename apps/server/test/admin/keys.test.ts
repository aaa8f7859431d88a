import type { IssuedKey, KeyDetails } from '@animal-store/admin-contract';
import { defaultBanPolicy } from '@animal-store/contract';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';

const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anyToken = expect.stringMatching(/^ast_[0-9A-Za-z]{36}$/);

const { service, admin } = useAdmin('postgres', {
  quotas: { banPolicy: { ...defaultBanPolicy, minStrikes: 1, strikeShare: 0 } },
  // The interval for writing counts is so long that `lastUsedAt` does not change during the tests.
  usage: { flushMs: 60_000 },
});

const use = async (token: string) => (await service.call('/pets', { token })).status;
const show = (id: string) => admin.read<KeyDetails>(`/keys/${id}`);
const change = (id: string, json: string) => admin.call(`/keys/${id}`, { method: 'PATCH', json });
const rotate = async (id: string, json: string) =>
  (await admin.call(`/keys/${id}/rotate`, { json })).body as IssuedKey;
const revoke = (id: string) => admin.call(`/keys/${id}/revoke`, { method: 'POST' });

test('the admin API creates an API key whose token is valid immediately, and returns all properties of the key', async () => {
  const answer = await admin.call('/keys', {
    json: '{"plan":"pro","name":"Łódź 🐈","account":"C-17","expiresAt":"2099-01-31T00:00:00+01:00"}',
  });
  expect(answer.status).toBe(201);
  const { key, token } = answer.body as IssuedKey;
  const quota = { perMinute: 300, perDay: 10_000 };
  expect(answer.body).toEqual({
    key: {
      id: expect.any(String),
      name: 'Łódź 🐈',
      account: 'C-17',
      plan: 'pro',
      quota,
      inForce: { subject: 'key', plan: 'pro', quota },
      state: 'active',
      createdAt: anyInstant,
      expiresAt: '2099-01-30T23:00:00.000Z',
      revokedAt: null,
      suspension: null,
      accountSuspension: null,
      scopes: ['pets:read', 'pets:write'],
      lastUsedAt: null,
      lastRefusedAt: null,
      tokens: [{ prefix: token.slice(0, 8), createdAt: anyInstant, expiresAt: null }],
    },
    token: anyToken,
  });
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  for (let n = 0; n < 3; n++) expect(await use(token)).toBe(200);
  const { headers } = await service.call('/pets', { token });
  const resetsAt = new Date(Number(headers.get('X-RateLimit-Reset')) * 1000).toISOString();
  expect(await show(key.id.toUpperCase())).toEqual({
    ...key,
    usage: {
      scope: 'service',
      subject: 'key',
      plan: 'pro',
      windows: {
        minute: { limit: 300, remaining: 296, resetsAt },
        day: { limit: 10_000, remaining: 9_996, resetsAt: anyInstant },
      },
      strikes: 0,
      strikesResetAt: null,
      strikeThreshold: 1,
      bannedUntil: null,
    },
  });
});

test('a new plan of an API key applies from the next request on, and the requests of the current minute and day stay counted', async () => {
  const { key, token } = await admin.create('{"plan":"free"}');
  for (let n = 0; n < 3; n++) await use(token);
  const quota = { perMinute: 10, perDay: 20 };
  const changed = await change(key.id, JSON.stringify({ plan: 'enterprise', quota }));
  const inForce = { subject: 'key', plan: 'enterprise', quota };
  const body = { ...key, plan: 'enterprise', quota, inForce };
  expect(changed).toMatchObject({ status: 200, body });
  const { headers } = await service.call('/pets', { token });
  expect(headers.get('X-RateLimit-Limit')).toBe('10');
  expect(headers.get('X-RateLimit-Remaining')).toBe('6');
  // This request sets the plan that the API key already has, so it changes nothing.
  expect((await change(key.id, '{"plan":"enterprise"}')).body).toEqual(changed.body);

  expect((await change(key.id, '{"quota":{"perMinute":3,"perDay":20}}')).status).toBe(200);
  expect(await use(token)).toBe(429);
  const back = await change(key.id, '{"plan":"business"}');
  expect(back.body).toMatchObject({ quota: { perMinute: 1_000, perDay: 100_000 } });
  const after = await service.call('/pets', { token });
  expect(after.headers.get('X-RateLimit-Remaining')).toBe('995');
});

test.each([
  [
    '{"name":"b","plan":"enterprise"}',
    'quota: expected perMinute and perDay for an Enterprise key',
  ],
  [
    '{"quota":{"perMinute":1,"perDay":1}}',
    'quota: expected none, because the key has the plan pro',
  ],
])(
  'the admin API refuses to change a Pro API key to %s, changes nothing, and responds with "%s"',
  async (json, message) => {
    const { key } = await admin.create('{"plan":"pro"}');
    expect((await change(key.id, json)).body).toEqual({
      code: 'invalid_request',
      message: expect.stringContaining(message),
      status: 400,
    });
    expect(await show(key.id)).toMatchObject(key);
  },
);

test('after a rotation, the previous token of an API key stays valid for 24 hours or for a given period', async () => {
  const { key, token } = await admin.create('{"plan":"free"}');
  const first = await rotate(key.id, '');
  expect(first).toEqual({
    key: { ...key, tokens: [expect.any(Object), expect.any(Object)] },
    token: anyToken,
  });
  const [newest, replaced] = first.key.tokens;
  expect(newest).toMatchObject({ prefix: first.token.slice(0, 8), expiresAt: null });
  expect(replaced?.prefix).toBe(token.slice(0, 8));
  const graceMs = Date.parse(replaced?.expiresAt ?? '') - Date.parse(newest?.createdAt ?? '');
  expect(graceMs).toBe(86_400_000);
  expect([await use(token), await use(first.token)]).toEqual([200, 200]);
  // All tokens of an API key share its quota.
  expect((await show(key.id)).usage.windows.minute.remaining).toBe(58);

  const second = await rotate(key.id, '{"graceSeconds":172800}');
  // A second rotation does not extend the grace period in which the first token still works.
  expect(second.key.tokens.slice(2)).toEqual([replaced]);
  const last = await rotate(key.id, '{"graceSeconds":0}');
  const tokens = [token, first.token, second.token, last.token];
  expect(await Promise.all(tokens.map(use))).toEqual([401, 401, 401, 200]);
  expect(last.key.tokens).toHaveLength(1);
});

test('the admin API revokes an API key permanently, and a second revocation changes nothing', async () => {
  const { key, token } = await admin.create('{"plan":"free"}');
  expect(await use(token)).toBe(200);
  const once = await revoke(key.id.toUpperCase());
  expect(once.body).toEqual({ ...key, state: 'revoked', revokedAt: anyInstant });
  expect(await use(token)).toBe(401);
  expect((await revoke(key.id)).body).toEqual(once.body);
  const message = 'The key is revoked. Create a new key.';
  const refused = { code: 'key_not_active', message, status: 409 };
  expect(await rotate(key.id, '')).toEqual(refused);
  expect((await change(key.id, '{"plan":"pro"}')).body).toEqual(refused);
});

test('the admin API refuses to extend an expired API key', async () => {
  const { key } = await admin.create('{"plan":"free"}');
  await service.database.db.execute(
    sql`update api_keys set expires_at = now() where id = ${key.id}`,
  );
  const { status, body } = await change(key.id, '{"expiresAt":null}');
  expect([status, body]).toMatchObject([409, { message: 'The key is expired. Create a new key.' }]);
});

test('the operation "credit" (reset of the request counts) adds no audit entry if the counts are already zero, and is refused for a revoked API key', async () => {
  const { key } = await admin.create('{"plan":"free"}');
  const post = (action: string) =>
    admin.call(`/keys/${key.id}/${action}`, { method: 'POST', json: '{}' });
  expect((await post('credit')).status).toBe(200);
  await revoke(key.id);
  for (const action of ['credit', 'unban']) {
    const { status, body } = await post(action);
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'key_not_active' } });
  }
  const entries = await admin.read<{ action: string }[]>(`/audit?keyId=${key.id}`);
  expect(entries.map(({ action }) => action)).toEqual(['key.revoked', 'key.created']);
});
