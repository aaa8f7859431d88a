import type { AuditEntry, IssuedKey, Key, KeyDetails } from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';

const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a suspended key', () => {
  const { service, admin } = useAdmin();

  const make = (more: object = {}) =>
    admin.create(JSON.stringify({ plan: 'free', name: 'x', ...more }));
  const post = (id: string, action: string, reason?: string) => {
    const query = reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`;
    return admin.call(`/keys/${id}/${action}${query}`, { method: 'POST' });
  };
  const suspend = (id: string, reason?: string) => post(id, 'suspend', reason);
  const show = async (id: string) => (await admin.call(`/keys/${id}`)).body as KeyDetails;
  const use = async (token: string) => (await service.call('/pets', { token })).status;
  const auditOf = async (id: string) =>
    (await admin.call(`/audit?limit=100&keyId=${id}`)).body as AuditEntry[];

  test('is shown with time and reason, refused, and admitted again when it is resumed; all recorded', async () => {
    const { key, token } = await make();
    expect(await use(token)).toBe(200);
    const suspension = { at: anyInstant, reason: 'Invoice 4711 🐈' };
    const suspended = await suspend(key.id, suspension.reason);
    expect(suspended).toMatchObject({ status: 200 });
    expect(suspended.body).toEqual({ ...key, state: 'suspended', suspension });
    expect(await show(key.id)).toMatchObject(suspended.body as Key);
    expect(await use(token)).toBe(403);
    // Again: the time stays, and the reason unless there is another.
    const { at } = (suspended.body as Key).suspension ?? {};
    expect((await suspend(key.id)).body).toEqual(suspended.body);
    expect((await suspend(key.id, 'unpaid')).body).toMatchObject({
      suspension: { at, reason: 'unpaid' },
    });
    expect((await post(key.id, 'resume', 'paid')).body).toEqual(key);
    expect((await post(key.id, 'resume')).body).toEqual(key);
    expect(await use(token)).toBe(200);
    const entries = (await auditOf(key.id)).map(({ action, before, after, reason }) => [
      ...[action, before.suspension, after.suspension, reason],
    ]);
    expect(entries).toEqual([
      ['key.resumed', { at, reason: 'unpaid' }, null, 'paid'],
      ['key.suspended', suspension, { at, reason: 'unpaid' }, 'unpaid'],
      ['key.suspended', null, suspension, suspension.reason],
      ['key.created', undefined, undefined, null],
    ]);
  });

  test('gets 403 for every request, which says whom to ask and not why', async () => {
    const { key, token } = await make();
    await suspend(key.id, 'unpaid');
    for (const [method, path] of [
      ['HEAD', '/pets'],
      ['POST', '/pets'],
      ['GET', '/rate-limit'],
      ['DELETE', '/pets'],
      ['GET', '/nowhere'],
    ] as const) {
      const answer = await service.call(path, { method, token });
      expect([answer.status, answer.headers.has('WWW-Authenticate')]).toEqual([403, false]);
      expect(answer.text).not.toContain('unpaid');
      if (method === 'HEAD') continue;
      expectError(answer, 403, 'key_suspended', /Ask whoever gave it to you, or the operator/);
    }
  });

  test('costs its network and not its own quota', async () => {
    const { key, token } = await make();
    await use(token);
    await suspend(key.id);
    expect(rateLimitOf(await service.call('/pets', { token })).limit).toBe(1_000_000);
    expect((await show(key.id)).usage.windows).toMatchObject({
      minute: { limit: 60, remaining: 59 },
      day: { remaining: 999 },
    });
  });

  test('can be changed and rotated, stays suspended with each token, and is refused once revoked', async () => {
    const { key, token } = await make();
    await suspend(key.id);
    const json = '{"plan":"pro","name":"y"}';
    const changed = await admin.call(`/keys/${key.id}`, { method: 'PATCH', json });
    expect(changed.body).toMatchObject({ plan: 'pro', name: 'y', state: 'suspended' });
    const rotation = await admin.call(`/keys/${key.id}/rotate`, { json: '{"graceSeconds":60}' });
    const rotated = rotation.body as IssuedKey;
    expect(rotated.key.state).toBe('suspended');
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    const tokens = [token, rotated.token, wrong];
    expect(await Promise.all(tokens.map(use))).toEqual([403, 403, 401]);
    await post(key.id, 'resume');
    expect(await Promise.all(tokens.map(use))).toEqual([200, 200, 401]);
    await suspend(key.id);
    await post(key.id, 'revoke');
    for (const action of ['suspend', 'resume']) {
      const message = 'The key is revoked: make a new one.';
      expect((await post(key.id, action)).body).toEqual({
        ...{ code: 'key_not_active', message, status: 409 },
      });
    }
    expect(await use(token)).toBe(401);
    expect((await show(key.id)).state).toBe('revoked');
  });
});
