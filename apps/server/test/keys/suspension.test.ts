import type { AuditEntry, IssuedKey, Key, KeyDetails } from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';

const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const paths = [
  ['GET', '/pets'],
  ['HEAD', '/pets'],
  ['POST', '/pets'],
  ['GET', '/pets/1'],
  ['GET', '/rate-limit'],
  ['GET', '/store/orders'],
  ['DELETE', '/pets'],
  ['GET', '/nowhere'],
] as const;

describe('a suspended key', () => {
  const { service, admin } = useAdmin();

  const post = (id: string, action: string, reason?: string) =>
    admin.call(
      `/keys/${id}/${action}${reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`}`,
      { method: 'POST' },
    );
  const suspend = (id: string, reason?: string) => post(id, 'suspend', reason);
  const resume = (id: string, reason?: string) => post(id, 'resume', reason);
  const show = async (id: string) => (await admin.call(`/keys/${id}`)).body as KeyDetails;
  const find = async (query: string) =>
    ((await admin.call(`/keys?limit=100&${query}`)).body as Key[]).map(({ id }) => id);
  const use = async (token: string) => (await service.call('/pets', { token })).status;
  const auditOf = async (id: string) =>
    (await admin.call(`/audit?limit=100&keyId=${id}`)).body as AuditEntry[];

  test('is shown with time and reason, refused, and admitted again when it is resumed', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    expect(await use(token)).toBe(200);
    const suspended = await suspend(key.id, 'Invoice 4711 🐈');
    expect(suspended.status).toBe(200);
    expect(suspended.body).toEqual({
      ...key,
      lastUsedAt: null,
      state: 'suspended',
      suspension: { at: anyInstant, reason: 'Invoice 4711 🐈' },
    });
    expect(await show(key.id)).toMatchObject(suspended.body as Key);
    expect(await use(token)).toBe(403);
    const resumed = await resume(key.id);
    expect([resumed.status, resumed.body]).toEqual([200, key]);
    expect(await use(token)).toBe(200);
  });

  test.each(paths)(
    'gets 403 for %s %s, which says whom to ask and not why',
    async (method, path) => {
      const { key, token } = await admin.create('{"plan":"free"}');
      await suspend(key.id, 'unpaid');
      const answer = await service.call(path, { method, token });
      expect(answer.status).toBe(403);
      expect(answer.headers.has('WWW-Authenticate')).toBe(false);
      if (method === 'HEAD') return;
      expectError(answer, 403, 'key_suspended', /Ask whoever gave it to you, or the operator/);
      expect(answer.text).not.toContain('unpaid');
    },
  );

  test('costs its network and not its own quota', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    await use(token);
    await suspend(key.id);
    const [first, second] = await until(async () => {
      const one = rateLimitOf(await service.call('/pets', { token }));
      const other = rateLimitOf(await service.call('/rate-limit', { token }));
      // The minute of the network may have ended in between.
      return one.reset === other.reset && [one, other];
    });
    expect(first?.limit).toBe(1_000_000);
    expect(second?.remaining).toBeLessThan(first?.remaining ?? 0);
    expect((await show(key.id)).usage.windows).toMatchObject({
      minute: { limit: 60, remaining: 59 },
      day: { remaining: 999 },
    });
  });

  test('is told so with each of its tokens, and a wrong one is not', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    await suspend(key.id);
    const rotated = (await admin.call(`/keys/${key.id}/rotate`, { json: '{"graceSeconds":60}' }))
      .body as IssuedKey;
    expect(rotated.key.state).toBe('suspended');
    expect([await use(token), await use(rotated.token)]).toEqual([403, 403]);
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    expect(await use(wrong)).toBe(401);
    await resume(key.id);
    expect([await use(token), await use(rotated.token)]).toEqual([200, 200]);
  });

  test('can be changed, and stays suspended', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    await suspend(key.id);
    const changed = await admin.call(`/keys/${key.id}`, {
      method: 'PATCH',
      json: '{"plan":"pro","name":"x"}',
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ plan: 'pro', name: 'x', state: 'suspended' });
    expect(await use(token)).toBe(403);
  });

  test('is in the list of its state and in no other', async () => {
    const account = `suspended ${Date.now()}`;
    const make = async (plan: string) =>
      (await admin.create(JSON.stringify({ plan, account }))).key.id;
    const [free, pro, revoked, active] = [
      await make('free'),
      await make('pro'),
      await make('pro'),
      await make('pro'),
    ];
    for (const id of [free, pro, revoked]) await suspend(id);
    await post(revoked, 'revoke');
    const of = `account=${encodeURIComponent(account)}`;
    expect(await find(`state=suspended&${of}`)).toEqual([pro, free]);
    expect(await find(`state=active&${of}`)).toEqual([active]);
    expect(await find(`state=revoked&${of}`)).toEqual([revoked]);
    const all = await find('state=suspended');
    expect(all).toEqual(expect.arrayContaining([pro, free]));
    expect(all).not.toContain(active);
    expect(await find('state=suspended&plan=free')).toContain(free);
    expect(await find('state=suspended&plan=free')).not.toContain(pro);
    for (const id of [free, pro]) await resume(id);
    expect(await find(`state=suspended&${of}`)).toEqual([]);
  });

  describe('suspending again', () => {
    test('keeps the time, and the reason if there is no other', async () => {
      const { key } = await admin.create('{"plan":"free"}');
      const first = (await suspend(key.id, 'first')).body as Key;
      expect((await suspend(key.id)).body).toEqual(first);
      expect((await suspend(key.id, 'second')).body).toEqual({
        ...first,
        suspension: { at: first.suspension?.at, reason: 'second' },
      });
    });

    test('and resuming again change nothing and record nothing', async () => {
      const { key } = await admin.create('{"plan":"free"}');
      await resume(key.id, 'never suspended');
      await suspend(key.id, 'once');
      await suspend(key.id, 'once');
      await resume(key.id);
      await resume(key.id);
      expect((await auditOf(key.id)).map(({ action }) => action)).toEqual([
        'key.resumed',
        'key.suspended',
        'key.created',
      ]);
    });
  });

  test('is in the audit log: who, when and why', async () => {
    const { key } = await admin.create('{"plan":"free"}');
    await suspend(key.id, 'unpaid');
    await resume(key.id, 'paid');
    const suspension = { at: anyInstant, reason: 'unpaid' };
    expect((await auditOf(key.id)).slice(0, 2)).toMatchObject([
      {
        action: 'key.resumed',
        before: { suspension },
        after: { suspension: null },
        reason: 'paid',
      },
      {
        action: 'key.suspended',
        actor: { type: 'admin_token' },
        before: { suspension: null },
        after: { suspension },
        reason: 'unpaid',
      },
    ]);
  });

  test.each(['suspend', 'resume'])('%s is refused once a key is revoked', async (action) => {
    const { key, token } = await admin.create('{"plan":"free"}');
    await suspend(key.id);
    await post(key.id, 'revoke');
    expect(await use(token)).toBe(401);
    const { status, body } = await post(key.id, action);
    expect([status, body]).toEqual([
      409,
      { code: 'key_not_active', message: 'The key is revoked: make a new one.', status: 409 },
    ]);
    expect((await show(key.id)).state).toBe('revoked');
  });

  test.each([
    ['empty', ''],
    ['of more than 255 characters', 'x'.repeat(256)],
    ['with a control character', 'a\u0000b'],
    ['with a line break', 'a\nb'],
  ])('a reason that is %s is refused, and nothing changes', async (_name, reason) => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const answer = await suspend(key.id, reason);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      code: 'invalid_request',
      message: expect.stringContaining('reason: expected'),
      status: 400,
    });
    expect((await show(key.id)).suspension).toBe(null);
    expect(await use(token)).toBe(200);
  });

  test('a token in the reason is hidden everywhere', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const { body } = await suspend(key.id, `leaked: ${token}, ${token.slice(4)}`);
    expect((body as Key).suspension?.reason).toMatch(/^leaked: ast_…, …$/);
    const everything = [body, await show(key.id), await auditOf(key.id)].map((part) =>
      JSON.stringify(part),
    );
    for (const text of everything) expect(text).not.toContain(token.slice(8));
  });

  test('concurrent suspensions and resumptions are recorded one after the other', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2 === 0 ? suspend(key.id, `${n}`) : resume(key.id),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [last] = await auditOf(key.id);
    const { state } = await show(key.id);
    expect(state).toBe(last?.action === 'key.suspended' ? 'suspended' : 'active');
    expect(await use(token)).toBe(state === 'suspended' ? 403 : 200);
    const changes = (await auditOf(key.id)).toReversed().slice(1);
    // Each entry begins where the one before has ended.
    const ends = changes.map(({ after }) => after.suspension);
    expect(changes.slice(1).map(({ before }) => before.suspension)).toEqual(ends.slice(0, -1));
  });
});
