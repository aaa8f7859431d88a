import { findLink } from '@animal-store/contract';
import type { IssuedKey, Key, KeyDetails } from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { adminToken, useAdmin } from '../support/admin.ts';
import { wideQuota } from '../support/test-service.ts';

const env = {
  ADMIN_TOKEN: adminToken,
  // So late that `lastUsedAt` does not change during the tests.
  USAGE_ROLL_UP_MS: '600000',
  // The second denial in a row is one strike too many.
  BAN_MIN_STRIKES: '1',
  BAN_STRIKE_PERCENT: '0',
  BAN_GRACE_MS: '0',
};

const nobody = '00000000-0000-4000-8000-000000000000';
const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anyToken = expect.stringMatching(/^ast_[0-9A-Za-z]{36}$/);

describe('API keys', () => {
  let expiredToken = '';

  const { service, admin } = useAdmin('postgres', {
    env,
    async prepare(db) {
      const expiresAt = new Date(Date.now() - 1_000).toISOString();
      expiredToken = (await createApiKey(db, { name: 'expired', plan: 'free', expiresAt })).token;
    },
  });

  const use = async (token: string) => (await service.call('/pets', { token })).status;
  const show = async (id: string) => (await admin.call(`/keys/${id}`)).body as KeyDetails;
  const change = (id: string, json: string) => admin.call(`/keys/${id}`, { method: 'PATCH', json });
  const rotate = async (id: string, json: string) =>
    (await admin.call(`/keys/${id}/rotate`, { json })).body as IssuedKey;
  const revoke = (id: string) => admin.call(`/keys/${id}/revoke`, { method: 'POST' });

  describe('creating a key', () => {
    test('returns a token that is valid at once', async () => {
      const answer = await admin.call('/keys', {
        json: '{"plan":"pro","name":"Łódź 🐈","account":"C-17","expiresAt":"2099-01-31T00:00:00+01:00"}',
      });
      expect(answer.status).toBe(201);
      const { key, token } = answer.body as IssuedKey;
      expect(answer.body).toEqual({
        key: {
          id: expect.any(String),
          name: 'Łódź 🐈',
          account: 'C-17',
          plan: 'pro',
          quota: { perMinute: 300, perDay: 10_000 },
          state: 'active',
          createdAt: anyInstant,
          expiresAt: '2099-01-30T23:00:00.000Z',
          revokedAt: null,
          suspension: null,
          accountSuspension: null,
          scopes: ['pets:read', 'pets:write'],
          lastUsedAt: null,
          tokens: [{ prefix: token.slice(0, 8), createdAt: anyInstant, expiresAt: null }],
        },
        token: anyToken,
      });
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      expect(await use(token)).toBe(200);
      expect((await admin.call(`/keys/${key.id}`)).body).toEqual({
        ...key,
        usage: expect.any(Object),
      });
    });

    test('works without a name, an account or an expiry', async () => {
      const { key, token } = await admin.create('{"plan":"free"}');
      expect(key).toMatchObject({ name: null, account: null, expiresAt: null, plan: 'free' });
      expect(await use(token)).toBe(200);
    });

    test('sets the quota of an Enterprise key', async () => {
      const { key, token } = await admin.create(
        '{"plan":"enterprise","quota":{"perMinute":7,"perDay":2147483647}}',
      );
      expect(key.quota).toEqual({ perMinute: 7, perDay: 2_147_483_647 });
      const { headers } = await service.call('/pets', { token });
      expect(headers.get('RateLimit-Policy')).toBe('"minute";q=7;w=60, "day";q=2147483647;w=86400');
    });

    test('refuses an expiry in the past', async () => {
      const answer = await admin.call('/keys', {
        json: '{"plan":"free","expiresAt":"2020-01-01T00:00:00Z"}',
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        code: 'invalid_request',
        message: 'expiresAt: expected a time to come, got "2020-01-01T00:00:00Z"',
        status: 400,
      });
    });
  });

  test('an expired key is refused and cannot be changed', async () => {
    expect(await use(expiredToken)).toBe(401);
    const expired = (await admin.call('/keys?state=expired')).body as Key[];
    expect(expired.map(({ name }) => name)).toEqual(['expired']);
    const id = expired[0]?.id ?? '';
    expect((await show(id)).state).toBe('expired');
    expect(await change(id, '{"plan":"pro"}')).toMatchObject({
      status: 409,
      body: { code: 'key_not_active', message: 'The key is expired: make a new one.', status: 409 },
    });
  });

  describe('the list', () => {
    /** Follows the links from a query to the end. */
    async function pages(query: string): Promise<Key[][]> {
      const found: Key[][] = [];
      let next: string | undefined = query;
      while (next !== undefined) {
        const answer = await admin.call(`/keys?${next}`);
        expect(answer.status).toBe(200);
        found.push(answer.body as Key[]);
        const link = findLink(answer.headers.get('Link') ?? '', 'next');
        expect(link ?? '/admin/v1/keys?').toMatch(/^\/admin\/v1\/keys\?/);
        next = link?.split('?')[1];
      }
      return found;
    }

    test('contains every key once, newest first, for any page size', async () => {
      const made: string[] = [];
      for (let n = 0; n < 5; n++) made.push((await admin.create('{"plan":"business"}')).key.id);
      const all = (await pages('limit=100')).flat().map(({ id }) => id);
      expect(all.slice(0, 5)).toEqual(made.toReversed());
      expect(new Set(all).size).toBe(all.length);

      const small = await pages('limit=2');
      expect(small.flat().map(({ id }) => id)).toEqual(all);
      expect(new Set(small.slice(0, -1).map(({ length }) => length))).toEqual(new Set([2]));
    });

    test('filters by plan and state together on every page', async () => {
      const revoked = await admin.create('{"plan":"business","name":"revoked"}');
      await revoke(revoked.key.id);
      const business = (await pages('limit=1&plan=business')).flat();
      expect(business.map(({ plan }) => plan)).toEqual(business.map(() => 'business'));
      const [active, gone] = await Promise.all([
        pages('limit=1&plan=business&state=active'),
        pages('limit=1&plan=business&state=revoked'),
      ]);
      expect(active.flat().map(({ state }) => state)).not.toContain('revoked');
      expect(gone.flat().map(({ id }) => id)).toEqual([revoked.key.id]);
      expect(active.flat().length + gone.flat().length).toBe(business.length);
    });
  });

  describe('a search', () => {
    const find = async (query: string) => {
      const { status, body } = await admin.call(`/keys?limit=100&${query}`);
      expect(status).toBe(200);
      return (body as Key[]).map(({ id }) => id);
    };

    test('finds keys by name, account and token prefix', async () => {
      const { key, token } = await admin.create(
        '{"plan":"free","name":"Ünique %","account":"U 1"}',
      );
      expect(await find('name=%C3%9Cn')).toEqual([key.id]);
      expect(await find('name=%C3%9CNIQUE+%25')).toEqual([key.id]);
      expect(await find('account=U+1')).toEqual([key.id]);
      expect(await find(`tokenPrefix=${token.slice(0, 8)}`)).toContain(key.id);
      expect(await find('account=U+1&state=revoked')).toEqual([]);
    });

    test('never repeats a whole token that was sent by mistake', async () => {
      const { token } = await admin.create('{"plan":"free"}');
      const { status, text } = await admin.call(`/keys?tokenPrefix=${token}`);
      expect(status).toBe(400);
      expect(text).not.toContain(token.slice(8));
    });

    test('keeps its filters in the link to the next page', async () => {
      for (let n = 0; n < 2; n += 1) await admin.create('{"plan":"free","account":"paged & more"}');
      const query = 'limit=1&account=paged+%26+more&plan=free&unusedForDays=1';
      const { headers } = await admin.call(`/keys?${query.replace('&unusedForDays=1', '')}`);
      const next = new URL(findLink(headers.get('Link') ?? '', 'next') ?? '', 'http://x');
      const { cursor, ...filters } = Object.fromEntries(next.searchParams);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(filters).toEqual({ limit: '1', account: 'paged & more', plan: 'free' });
      expect((await admin.call(`/keys?${query}&cursor=${cursor}`)).status).toBe(400);
    });
  });

  test('the usage of a key shows both windows', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    for (let n = 0; n < 3; n++) await use(token);
    const { headers } = await service.call('/pets', { token });
    expect(await show(key.id)).toEqual({
      ...key,
      usage: {
        scope: 'service',
        subject: 'key',
        plan: 'free',
        windows: {
          minute: {
            limit: 60,
            remaining: 56,
            resetsAt: new Date(Number(headers.get('X-RateLimit-Reset')) * 1000).toISOString(),
          },
          day: { limit: 1_000, remaining: 996, resetsAt: anyInstant },
        },
        strikes: 0,
        strikesResetAt: null,
        strikeThreshold: 1,
        bannedUntil: null,
      },
    });
  });

  describe('a change of plan', () => {
    test('applies to the next request and keeps the counts', async () => {
      const { key, token } = await admin.create('{"plan":"free"}');
      for (let n = 0; n < 3; n++) await use(token);

      const changed = await change(
        key.id,
        '{"plan":"enterprise","quota":{"perMinute":10,"perDay":20}}',
      );
      expect(changed.status).toBe(200);
      expect(changed.body).toEqual({
        ...key,
        plan: 'enterprise',
        quota: { perMinute: 10, perDay: 20 },
      });
      const { headers } = await service.call('/pets', { token });
      expect(headers.get('X-RateLimit-Limit')).toBe('10');
      expect(headers.get('X-RateLimit-Remaining')).toBe('6');

      expect((await change(key.id, '{"quota":{"perMinute":3,"perDay":20}}')).status).toBe(200);
      expect(await use(token)).toBe(429);

      const back = await change(key.id, '{"plan":"business"}');
      expect(back.body).toMatchObject({ quota: { perMinute: 1_000, perDay: 100_000 } });
      expect((await service.call('/pets', { token })).headers.get('X-RateLimit-Remaining')).toBe(
        '995',
      );
    });

    test('to the current plan and quota changes nothing', async () => {
      const { key } = await admin.create(JSON.stringify({ plan: 'enterprise', quota: wideQuota }));
      expect(key.quota).toEqual(wideQuota);
      expect((await change(key.id, '{"plan":"enterprise"}')).body).toEqual(key);
    });

    test.each([
      ['{"plan":"enterprise"}', 'quota: expected an Enterprise key to bring its own'],
      ['{"quota":{"perMinute":1,"perDay":1}}', "quota: expected none: the key's plan is pro"],
    ])('of a Pro key to %s is refused', async (json, message) => {
      const { key } = await admin.create('{"plan":"pro"}');
      const { status, body } = await change(key.id, json);
      expect(status).toBe(400);
      expect(body).toEqual({
        code: 'invalid_request',
        message: expect.stringContaining(message),
        status: 400,
      });
      expect(await show(key.id)).toMatchObject(key);
    });
  });

  describe('a change of name, account and expiry', () => {
    test('sets them and leaves the rest, and null removes them', async () => {
      const { key, token } = await admin.create('{"plan":"pro","name":"a","account":"b"}');
      const name = '🐈'.repeat(255);
      const changed = await change(key.id, JSON.stringify({ name, account: 'C-18' }));
      expect(changed.status).toBe(200);
      expect(changed.body).toEqual({ ...key, name, account: 'C-18' });
      const expiring = await change(key.id, '{"expiresAt":"2099-01-31T00:00:00+01:00"}');
      expect(expiring.body).toEqual({
        ...key,
        name,
        account: 'C-18',
        expiresAt: '2099-01-30T23:00:00.000Z',
      });
      const removed = await change(key.id, '{"name":null,"account":null,"expiresAt":null}');
      expect(removed.body).toEqual({ ...key, name: null, account: null });
      expect(await use(token)).toBe(200);
    });

    test('of the expiry applies to keys that are in use', async () => {
      const { key, token } = await admin.create('{"plan":"free"}');
      expect(await use(token)).toBe(200);
      // Again, should the time have come before the request did.
      await until(async () => {
        const expiresAt = new Date(Date.now() + 1_000).toISOString();
        return (await change(key.id, JSON.stringify({ expiresAt }))).status === 200;
      });
      await until(async () => (await use(token)) === 401);
      expect((await show(key.id)).state).toBe('expired');
      expect((await change(key.id, '{"expiresAt":null}')).status).toBe(409);
    });

    test('may come with a plan, all or nothing', async () => {
      const { key } = await admin.create('{"plan":"pro","name":"a"}');
      expect((await change(key.id, '{"name":"b","plan":"business"}')).body).toMatchObject({
        name: 'b',
        plan: 'business',
      });
      expect((await change(key.id, '{"name":"c","plan":"enterprise"}')).status).toBe(400);
      expect(await show(key.id)).toMatchObject({ name: 'b', plan: 'business' });
    });

    test('with several faults names every one, and changes nothing', async () => {
      const { key } = await admin.create('{"plan":"pro","name":"a"}');
      const answer = await change(
        key.id,
        '{"name":"","account":"\\u0000","expiresAt":"2020-01-01T00:00:00Z","plan":"gold","x":1}',
      );
      expect(answer.status).toBe(400);
      const { message } = answer.body as { message: string };
      for (const fault of ['name', 'account', 'expiresAt', 'plan', 'body']) {
        expect(message).toContain(`${fault}: expected`);
      }
      expect(await show(key.id)).toMatchObject(key);
    });
  });

  test('a revoked key is refused forever, and revoking it again changes nothing', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const once = await revoke(key.id);
    expect(once.status).toBe(200);
    expect(once.body).toEqual({ ...key, state: 'revoked', revokedAt: anyInstant });
    expect(await use(token)).toBe(401);
    expect((await revoke(key.id)).body).toEqual(once.body);

    const refused = {
      status: 409,
      body: { code: 'key_not_active', message: 'The key is revoked: make a new one.', status: 409 },
    };
    expect(await admin.call(`/keys/${key.id}/rotate`, { method: 'POST' })).toMatchObject(refused);
    expect(await change(key.id, '{"plan":"pro"}')).toMatchObject(refused);
    expect(await use(token)).toBe(401);
  });

  test('the id of a key is case-insensitive', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    expect(await use(token)).toBe(200);
    expect(await revoke(key.id.toUpperCase())).toMatchObject({ status: 200, body: { id: key.id } });
    expect(await use(token)).toBe(401);
  });

  test('an unban clears the strikes of a key and keeps its counts', async () => {
    const { key, token } = await admin.create(
      '{"plan":"enterprise","quota":{"perMinute":1,"perDay":5}}',
    );
    const codeOf = async () =>
      ((await service.call('/pets', { token })).body as { code?: string }).code;
    await until(async () => (await codeOf()) === 'key_temporarily_banned');
    const { usage } = await show(key.id);
    expect(usage).toMatchObject({ strikes: expect.any(Number), bannedUntil: anyInstant });

    const unbanned = await admin.call(`/keys/${key.id}/unban`, { method: 'POST' });
    expect(unbanned.status).toBe(200);
    expect(unbanned.body).toMatchObject({
      id: key.id,
      usage: {
        windows: { minute: { remaining: 0 }, day: { remaining: 4 } },
        strikes: 0,
        strikesResetAt: null,
        bannedUntil: null,
      },
    });
    expect(await codeOf()).toBe('rate_limit_exceeded');
  });

  test('a token appears only in the response that created it', async () => {
    const made = await admin.create('{"plan":"free","name":"canary"}');
    const rotated = await rotate(made.key.id, '');
    await use(made.token);
    const seen = [
      (await admin.call('/keys?limit=100')).text,
      (await admin.call(`/keys/${made.key.id}`)).text,
      (await change(made.key.id, '{"plan":"pro"}')).text,
      (await admin.call(`/keys/${made.key.id}/unban`, { method: 'POST' })).text,
      (await revoke(made.key.id)).text,
      service.server.output(),
    ].join('\n');
    expect(seen).toContain(made.key.id);
    for (const token of [made.token, rotated.token]) {
      // Not even the half that is secret.
      expect(seen).not.toContain(token.slice(8));
    }
    expect(seen).not.toContain(adminToken);
  });
});

describe('every change of a key', () => {
  const { service, admin } = useAdmin();

  test('is announced to all replicas, and a refused change is not', async () => {
    const heard: { keyId?: string }[] = [];
    const listener = postgres(service.database.env['DATABASE_URL'] ?? '', { max: 1 });
    try {
      const end = { keyId: 'end' };
      await listener.listen('animal_store_keys', (payload) => heard.push(JSON.parse(payload)));
      const { key } = await admin.create('{"plan":"free"}');
      const path = `/keys/${key.id}`;
      await admin.call(path, { method: 'PATCH', json: '{"quota":{"perMinute":1,"perDay":1}}' });
      await admin.call(path, { method: 'PATCH', json: '{"plan":"pro"}' });
      await admin.call(`${path}/rotate`, { method: 'POST' });
      await admin.call(`${path}/unban`, { method: 'POST' });
      await admin.call(`/keys/${key.id.toUpperCase()}/revoke`, { method: 'POST' });
      await admin.call(`${path}/rotate`, { method: 'POST' });
      await admin.call(`/keys/${nobody}/unban`, { method: 'POST' });
      // Notices come in the order of their transactions: this is the last.
      await listener.notify('animal_store_keys', JSON.stringify(end));
      await until(() => heard.some(({ keyId }) => keyId === 'end'));
      // Those of nobody's key are a replica's heartbeats.
      expect(heard.filter(({ keyId }) => keyId !== '')).toEqual([
        { keyId: key.id },
        { keyId: key.id },
        { keyId: key.id },
        end,
      ]);
    } finally {
      await listener.end();
    }
  });
});
