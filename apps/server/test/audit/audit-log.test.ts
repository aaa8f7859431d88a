import { findLink } from '@animal-store/contract';
import {
  type AuditEntry,
  adminContract,
  adminRoutes,
  auditRetentionDays,
  type IssuedKey,
  type IssuedOperator,
} from '@animal-store/contract/admin';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createAuditLog, recordAudit } from '../../src/audit/audit-log.ts';
import { adminOf, adminToken, someCause, useAdmin } from '../support/admin.ts';
import { useDatabase } from '../support/databases.ts';
import { startService } from '../support/test-service.ts';

const pageSize = 100;
const nobody = '00000000-0000-4000-8000-000000000000';
const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anyToken = {
  prefix: expect.stringMatching(/^as[ot]_\w{4}$/),
  createdAt: anyInstant,
  expiresAt: null,
};

describe('the audit log', () => {
  const { admin } = useAdmin();

  /** The entries that a filter leaves, on one page. */
  async function entriesOf(filter: string): Promise<AuditEntry[]> {
    const { status, body } = await admin.call(`/audit?limit=${pageSize}&${filter}`);
    expect(status).toBe(200);
    return body as AuditEntry[];
  }

  const change = (id: string, json: string, query = '') =>
    admin.call(`/keys/${id}${query}`, { method: 'PATCH', json });

  test('a new key is recorded with who made it, what it has, and why', async () => {
    const answer = await admin.call('/keys?reason=Contract%20%F0%9F%90%88', {
      json: '{"plan":"pro","name":"acme","account":"C-17"}',
      headers: { 'X-Request-Id': 'request-1' },
    });
    const { key } = answer.body as IssuedKey;
    expect(await entriesOf(`keyId=${key.id}`)).toEqual([
      {
        id: expect.any(Number),
        at: anyInstant,
        actor: { type: 'admin_token', id: null, name: 'ADMIN_TOKEN' },
        action: 'key.created',
        subject: { type: 'key', id: key.id, name: 'acme', account: 'C-17' },
        before: {},
        after: {
          name: 'acme',
          account: 'C-17',
          plan: 'pro',
          quota: { perMinute: 300, perDay: 10_000 },
          scopes: ['pets:read', 'pets:write'],
          tokens: key.tokens,
        },
        requestId: 'request-1',
        reason: 'Contract 🐈',
      },
    ]);
  });

  test('each change of a key is recorded with the members that differ, and no others', async () => {
    const { key } = await admin.create('{"plan":"free","name":"a","account":"b"}');
    const path = `/keys/${key.id}`;
    await change(key.id, '{"name":"c","account":"b","expiresAt":"2099-01-01T00:00:00Z"}');
    await change(key.id, '{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}', '?reason=x');
    await admin.call(`${path}/rotate`, { json: '{"graceSeconds":0}' });
    await admin.call(`${path}/revoke`, { method: 'POST' });
    const entries = (await entriesOf(`keyId=${key.id}`)).toReversed();
    expect(
      entries.slice(1).map(({ action, before, after, reason }) => [action, before, after, reason]),
    ).toEqual([
      [
        'key.changed',
        { name: 'a', expiresAt: null },
        { name: 'c', expiresAt: '2099-01-01T00:00:00.000Z' },
        null,
      ],
      [
        'key.changed',
        { plan: 'free', quota: { perMinute: 60, perDay: 1_000 } },
        { plan: 'enterprise', quota: { perMinute: 5, perDay: 6 } },
        'x',
      ],
      ['key.rotated', { tokens: key.tokens }, { tokens: [anyToken] }, null],
      ['key.revoked', { revokedAt: null }, { revokedAt: anyInstant }, null],
    ]);
  });

  test('what is done to operators is recorded, and what they do bears their names', async () => {
    const made = await admin.call('/operators', { json: '{"name":"Ann","role":"owner"}' });
    const { operator, token } = made.body as IssuedOperator;
    const { key } = (await admin.call('/keys', { token, json: '{"name":"x","plan":"free"}' }))
      .body as IssuedKey;
    await admin.call(`/operators/${operator.id}/rotate`, { method: 'POST', token });
    await admin.call(`/operators/${operator.id}/revoke?reason=left`, { method: 'POST' });

    const about = await entriesOf(`operatorId=${operator.id}`);
    const ann = { type: 'operator', id: operator.id, name: 'Ann' };
    expect(about).toMatchObject([
      { action: 'operator.revoked', before: { revokedAt: null }, reason: 'left' },
      { action: 'operator.rotated', actor: ann },
      {
        action: 'operator.created',
        actor: { type: 'admin_token', id: null },
        subject: { ...ann, account: null },
        before: {},
        after: { name: 'Ann', role: 'owner', tokens: operator.tokens },
      },
    ]);
    const by = await entriesOf(`actor=${operator.id}`);
    expect(by.map(({ action, subject }) => [action, subject.id])).toEqual([
      ['operator.rotated', operator.id],
      ['key.created', key.id],
    ]);
    const system = await entriesOf(`actor=admin_token&operatorId=${operator.id}`);
    expect(system.map(({ action }) => action)).toEqual(['operator.revoked', 'operator.created']);
  });

  test('what changes nothing is not recorded', async () => {
    const { key } = await admin.create('{"plan":"pro","name":"a"}');
    await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' });
    const before = await entriesOf('');
    expect((await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' })).status).toBe(200);
    expect((await change(key.id, '{"name":"b"}')).status).toBe(409);
    expect((await change(nobody, '{"name":"b"}')).status).toBe(404);
    expect((await admin.call(`/keys/${nobody}/unban`, { method: 'POST' })).status).toBe(404);
    expect((await admin.call('/keys', { json: '{"plan":"gold"}' })).status).toBe(400);
    const other = await admin.create('{"plan":"pro","name":"a"}');
    expect((await change(other.key.id, '{"name":"a","plan":"pro"}')).status).toBe(200);
    // Other files may have filled the page.
    expect(await entriesOf('')).toEqual([
      expect.objectContaining({ subject: expect.objectContaining({ id: other.key.id }) }),
      ...before.slice(0, pageSize - 1),
    ]);
  });

  // Suspensions and rotations are changes, too.
  test('of changes at the same time, each begins where the one before has ended', async () => {
    const { key } = await admin.create('{"plan":"free","name":"0"}');
    const names = ['1', '2', '3', '4', '5'];
    await Promise.all(names.map((name) => change(key.id, JSON.stringify({ name }))));
    const entries = (await entriesOf(`keyId=${key.id}&action=key.changed`)).toReversed();
    expect(entries.map(({ after }) => after.name).sort()).toEqual(names);
    expect(entries.map(({ before }) => before.name)).toEqual([
      '0',
      ...entries.slice(0, -1).map(({ after }) => after.name),
    ]);
    const shown = (await admin.call(`/keys/${key.id}`)).body as { name: string };
    expect(shown.name).toBe(entries.at(-1)?.after.name);
  });

  test('no token is in the log, not even one in a reason', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const rotated = (await admin.call(`/keys/${key.id}/rotate`, { method: 'POST' }))
      .body as IssuedKey;
    await change(key.id, '{"name":"leaked"}', `?reason=leaked%20${token},%20${token.slice(4)}`);
    const { text } = await admin.call('/audit?limit=100');
    expect(text).toContain('"reason":"leaked ast_…, …"');
    for (const secret of [token, rotated.token]) expect(text).not.toContain(secret.slice(8));
    expect(text).not.toContain(adminToken);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  test('every operation that changes something takes a reason, and no other does', () => {
    const sessions = ['endOperatorSessions', 'createSession', 'endSessions', 'endSession'];
    const taking = Object.entries(adminContract).filter(
      ([, route]) => 'query' in route && 'reason' in route.query.shape,
    );
    const changing = Object.entries(adminContract).filter(
      ([name, { method }]) => method !== 'GET' && !sessions.includes(name),
    );
    expect(taking.map(([name]) => name)).toEqual(changing.map(([name]) => name));
    expect(adminRoutes.listAuditEntries.role).toBe('viewer');
  });

  test('the list has every entry once, the newest first, and is narrowed by all filters', async () => {
    const account = 'list';
    for (let n = 0; n < 3; n += 1) {
      const { key } = await admin.create(JSON.stringify({ plan: 'free', account }));
      await change(key.id, `{"name":"${n}"}`);
    }
    const all = await entriesOf(`account=${account}`);
    const ids = all.map(({ id }) => id);
    expect(ids).toHaveLength(6);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    for (const limit of [1, 4, 6]) {
      const pages: AuditEntry[][] = [];
      let next: string | undefined = `account=${account}&limit=${limit}`;
      while (next !== undefined) {
        const { body, headers } = await admin.call(`/audit?${next}`);
        pages.push(body as AuditEntry[]);
        next = findLink(headers.get('Link') ?? '', 'next')?.split('?')[1];
      }
      expect(pages.flat().map(({ id }) => id)).toEqual(ids);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }

    const { at = '', subject: { id = '' } = {} } = all[3] ?? {};
    const since = all.filter((entry) => entry.at >= at);
    const changed = (entry: AuditEntry) => entry.action === 'key.changed';
    for (const [filter, expected] of [
      [`account=${account}&action=key.changed`, all.filter(changed)],
      [`account=${account}&action=key.changed&from=${at}`, since.filter(changed)],
      [`account=${account}&from=${at}`, since],
      [`account=${account}&to=${at}`, all.filter((entry) => entry.at < at)],
      [`keyId=${id.toUpperCase()}`, all.filter(({ subject }) => subject.id === id)],
      [`account=${account}&actor=system`, []],
      [`keyId=${nobody}`, []],
      [`account=${account}&search=LIST`, all],
      [`account=${account}&search=for%20a%20c%C3%BCst`, []],
    ] as const) {
      expect(await entriesOf(filter), filter).toEqual(expected);
    }

    await admin.call(`/keys/${id}?reason=For%20a%20customer`, {
      method: 'PATCH',
      json: '{"name":"x"}',
    });
    const [found] = await entriesOf('search=for%20a%20CUST');
    expect(found).toMatchObject({ reason: 'For a customer', subject: { id } });

    const { headers } = await admin.call(`/audit?account=${account}&limit=1&count=true`);
    expect(headers.get('X-Total-Count')).toBe('7');
    const [, cursor = ''] = /cursor=([\w-]+)/.exec(headers.get('Link') ?? '') ?? [];
    const statusOf = async (path: string) => (await admin.call(path)).status;
    expect(await statusOf(`/audit?account=${account}&cursor=${cursor}`)).toBe(200);
    for (const [path, of] of [
      ['/audit?account=other', cursor],
      ['/audit?', cursor],
      [`/audit?account=${account}`, cursor.slice(1)],
      [`/keys?account=${account}`, cursor],
    ]) {
      expect(await statusOf(`${path}&cursor=${of}`), path).toBe(400);
    }
  });
});

describe('in the database', () => {
  const database = useDatabase('postgres');

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  const record = (at: string) =>
    recordAudit(database.db, {
      at,
      cause: someCause,
      action: 'key.changed',
      subject: { type: 'key', id: nobody, name: null, account: null },
      before: { name: 'a' },
      after: { name: 'b' },
    });

  async function list() {
    const { items: entries } = await createAuditLog(database.db).list({}, 100, undefined);
    return entries.map(({ at }) => at);
  }

  test('an entry can be neither changed nor deleted, before its retention is over', async () => {
    const [old, young] = [daysAgo(auditRetentionDays + 1), daysAgo(auditRetentionDays - 1)];
    await record(old);
    await record(young);
    const { db } = database;
    const refused = { cause: { message: expect.stringContaining('audit entries cannot be') } };
    for (const statement of [
      `update audit_entries set reason = 'forged'`,
      'delete from audit_entries',
      'truncate audit_entries',
    ]) {
      await expect(db.execute(sql.raw(statement))).rejects.toMatchObject(refused);
    }
    expect(await list()).toEqual([young, old]);

    expect(await createAuditLog(db).deleteExpired()).toBe(false);
    expect(await list()).toEqual([young]);
  });
});

test('a change whose entry cannot be written is not made', async () => {
  await using service = await startService('postgres', { env: { ADMIN_TOKEN: adminToken } });
  const admin = adminOf(service.server);
  const { key, token } = await admin.create('{"plan":"free","name":"a"}');
  const made = await admin.call('/operators', { json: '{"name":"Ann","role":"owner"}' });
  const { operator } = made.body as IssuedOperator;
  const { db, close } = await service.database.open();
  await db.execute(sql`alter table audit_entries add constraint no_more check (id < 0) not valid`);
  await close();

  const path = `/keys/${key.id}`;
  const statuses = [
    await admin.call('/keys', { json: '{"name":"x","plan":"free"}' }),
    await admin.call(path, { method: 'PATCH', json: '{"name":"b"}' }),
    await admin.call(`${path}/rotate`, { json: '{"graceSeconds":0}' }),
    await admin.call(`${path}/unban`, { method: 'POST' }),
    await admin.call(`${path}/revoke`, { method: 'POST' }),
    await admin.call('/operators', { json: '{"name":"Bob","role":"owner"}' }),
    await admin.call(`/operators/${operator.id}/rotate`, { json: '{"graceSeconds":0}' }),
    await admin.call(`/operators/${operator.id}/revoke`, { method: 'POST' }),
  ].map(({ status }) => status);
  expect(statuses).toEqual(statuses.map(() => 500));

  expect((await admin.call(path)).body).toMatchObject(key);
  expect((await admin.call('/operators')).body).toEqual([operator]);
  expect(((await admin.call('/keys?limit=100')).body as unknown[]).length).toBe(5);
  expect((await service.call('/pets', { token })).status).toBe(200);
});
