import {
  type AuditEntry,
  auditRetentionDays,
  type IssuedKey,
  type IssuedOperator,
} from '@animal-store/admin-contract';
import { findLink } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { deleteExpiredAudit, recordAudit } from '../../src/audit/audit-log.ts';
import { adminToken, nobody, someCause, useAdmin } from '../support/admin.ts';

const anyInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anyToken = {
  prefix: expect.stringMatching(/^as[ot]_\w{4}$/),
  createdAt: anyInstant,
  expiresAt: null,
};

const { service, admin } = useAdmin();

/** Returns the audit entries that match a filter. The entries must fit on one page. */
const entriesOf = (filter: string) => admin.read<AuditEntry[]>(`/audit?${filter}`);

const change = (id: string, json: string, query = '') =>
  admin.call(`/keys/${id}${query}`, { method: 'PATCH', json });

test('the audit log records who created or changed an API key, why, and which properties changed', async () => {
  const made = await admin.call('/keys?reason=Contract%20%F0%9F%90%88', {
    json: '{"plan":"free","name":"a","account":"b"}',
    headers: { 'X-Request-Id': 'request-1' },
  });
  const { key } = made.body as IssuedKey;
  const path = `/keys/${key.id}`;
  await change(key.id, '{"name":"c","account":"b","expiresAt":"2099-01-01T00:00:00Z"}');
  await change(key.id, '{"plan":"enterprise","quota":{"perMinute":5,"perDay":6}}', '?reason=x');
  await change(key.id, '{"name":"c"}');
  await admin.call(`${path}/rotate`, { json: '{"graceSeconds":0}' });
  for (const _ of 'ab') await admin.call(`${path}/revoke`, { method: 'POST' });
  const quota = { perMinute: 60, perDay: 1_000 };
  const [created, ...changes] = (await entriesOf(`keyId=${key.id}`)).toReversed();
  expect(created).toEqual({
    id: expect.any(Number),
    at: anyInstant,
    actor: { type: 'admin_token', id: null, name: 'ADMIN_TOKEN' },
    action: 'key.created',
    subject: { type: 'key', id: key.id, name: 'a', account: 'b' },
    before: {},
    after: {
      ...{ name: 'a', account: 'b', plan: 'free', quota, tokens: key.tokens },
      scopes: ['pets:read', 'pets:write'],
    },
    requestId: 'request-1',
    reason: 'Contract 🐈',
  });
  expect(
    changes.map(({ action, before, after, reason }) => [action, before, after, reason]),
  ).toEqual([
    [
      'key.changed',
      { name: 'a', expiresAt: null },
      { name: 'c', expiresAt: '2099-01-01T00:00:00.000Z' },
      null,
    ],
    [
      'key.changed',
      { plan: 'free', quota },
      { plan: 'enterprise', quota: { perMinute: 5, perDay: 6 } },
      'x',
    ],
    ['key.rotated', { tokens: key.tokens }, { tokens: [anyToken] }, null],
    ['key.revoked', { revokedAt: null }, { revokedAt: anyInstant }, null],
  ]);
});

test('the audit log records the creation, rotation and revocation of an operator, and who did it', async () => {
  const made = await admin.call('/operators', { json: '{"name":"Ann","role":"owner"}' });
  const { operator, token } = made.body as IssuedOperator;
  const answer = await admin.call('/keys', { token, json: '{"name":"x","plan":"free"}' });
  const { key } = answer.body as IssuedKey;
  await admin.call(`/operators/${operator.id}/rotate`, { method: 'POST', token });
  await admin.call(`/operators/${operator.id}/revoke?reason=left`, { method: 'POST' });

  const ann = { type: 'operator', id: operator.id, name: 'Ann' };
  const rotated = { action: 'operator.rotated', actor: ann };
  expect(await entriesOf(`operatorId=${operator.id}`)).toMatchObject([
    { action: 'operator.revoked', before: { revokedAt: null }, reason: 'left' },
    rotated,
    {
      action: 'operator.created',
      actor: { type: 'admin_token', id: null },
      subject: { ...ann, account: null },
      before: {},
      after: { name: 'Ann', role: 'owner', tokens: operator.tokens },
    },
  ]);
  expect(await entriesOf(`actor=${operator.id}`)).toMatchObject([
    rotated,
    { action: 'key.created', subject: { id: key.id } },
  ]);
  expect(await entriesOf(`actor=admin_token&operatorId=${operator.id}`)).toMatchObject([
    { action: 'operator.revoked' },
    { action: 'operator.created' },
  ]);
});

test('the audit log records concurrent changes in their real order: the old values in an entry are the new values in the previous entry', async () => {
  const { key } = await admin.create('{"plan":"free","name":"0"}');
  await Promise.all([...'12345'].map((name) => change(key.id, JSON.stringify({ name }))));
  const entries = await entriesOf(`keyId=${key.id}&action=key.changed`);
  const names = entries.map(({ after }) => after.name);
  expect(names.toSorted()).toEqual([...'12345']);
  expect(entries.map(({ before }) => before.name)).toEqual([...names.slice(1), '0']);
  expect((await admin.call(`/keys/${key.id}`)).body).toMatchObject({ name: names[0] });
});

test('the audit log contains no API key, not even when an operator writes one into a reason', async () => {
  const { key, token } = await admin.create('{"plan":"free"}');
  const rotated = (await admin.call(`/keys/${key.id}/rotate`, { method: 'POST' }))
    .body as IssuedKey;
  await change(key.id, '{"name":"leaked"}', `?reason=leaked%20${token},%20${token.slice(4)}`);
  const { text } = await admin.call('/audit?limit=100');
  expect(text).toContain('"reason":"leaked ast_…, …"');
  for (const secret of [token, rotated.token]) expect(text).not.toContain(secret.slice(8));
  const suspend = `/keys/${key.id}/suspend?reason=${token}`;
  expect((await admin.call(suspend, { method: 'POST' })).text).not.toContain(token.slice(8));
  expect(text).not.toContain(adminToken);
  expect(text).not.toMatch(/[0-9a-f]{64}/);
});

test('the audit log lists every entry once, newest first, and each filter returns only matching entries', async () => {
  for (let n = 0; n < 3; n += 1) {
    const { key } = await admin.create('{"plan":"free","name":"x","account":"list"}');
    await change(key.id, `{"name":"${n}"}`, '?reason=For%20a%20customer');
  }
  const all = await entriesOf('account=list');
  expect(all.map(({ after }) => after.name)).toEqual(['2', 'x', '1', 'x', '0', 'x']);
  const first = await admin.call('/audit?account=list&limit=4&count=true');
  expect([first.body, first.headers.get('X-Total-Count')]).toEqual([all.slice(0, 4), '6']);
  const next = findLink(first.headers.get('Link') ?? '', 'next')?.split('?')[1] ?? '';
  expect(await entriesOf(next)).toEqual(all.slice(4));
  // The header with the total number of entries has the same value on the first page and on a later
  // page. The value is also the same if one page contains all entries.
  for (const query of ['account=list', next, 'account=list&limit=6']) {
    const { headers } = await admin.call(`/audit?${query}&count=true`);
    expect(headers.get('X-Total-Count')).toBe('6');
  }

  const { at = '', subject: { id = '' } = {} } = all[3] ?? {};
  const changes = all.filter((entry) => entry.action === 'key.changed');
  const since = (entry: AuditEntry) => entry.at >= at;
  for (const [filter, expected] of [
    ['action=key.changed', changes],
    [`action=key.changed&from=${at}`, changes.filter(since)],
    [`from=${at}`, all.filter(since)],
    [`to=${at}`, all.filter((entry) => !since(entry))],
    [`keyId=${id.toUpperCase()}`, all.filter(({ subject }) => subject.id === id)],
    ['actor=system', []],
    ['search=for%20a%20C%C3%9CST', changes],
    ['search=for%20a%20test', []],
  ] as const) {
    expect(await entriesOf(`account=list&${filter}`), filter).toEqual(expected);
  }
  const cursor = /cursor=[\w-]+/.exec(next)?.[0];
  for (const path of ['/audit?account=other', '/audit?limit=4', '/keys?account=list']) {
    expect((await admin.call(`${path}&${cursor}`)).status, path).toBe(400);
  }
});

test('the database refuses to change an audit entry, and refuses to delete an audit entry before its retention period ends', async () => {
  const { db } = service.database;
  for (const days of [auditRetentionDays + 1, auditRetentionDays - 1]) {
    await recordAudit(db, {
      at: new Date(Date.now() - days * 86_400_000).toISOString(),
      cause: someCause,
      action: 'key.changed',
      subject: { type: 'key', id: nobody, name: null, account: 'old' },
      before: { name: 'a' },
      after: { name: String(days) },
    });
  }
  const refused = { cause: { message: expect.stringContaining('audit entries cannot be') } };
  for (const statement of [
    `update audit_entries set reason = 'forged'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ]) {
    await expect(db.execute(statement)).rejects.toMatchObject(refused);
  }
  expect(await entriesOf('account=old')).toHaveLength(2);
  expect(await deleteExpiredAudit(db)).toBe(false);
  const kept = [{ after: { name: String(auditRetentionDays - 1) } }];
  expect(await entriesOf('account=old')).toMatchObject(kept);
});

test('the service rolls back a change when its audit entry cannot be written', async () => {
  const { key, token } = await admin.create('{"plan":"free","name":"a"}');
  const made = await admin.call('/operators', { json: '{"name":"Ann","role":"owner"}' });
  const paths = [`/keys/${key.id}`, `/operators/${(made.body as IssuedOperator).operator.id}`];
  const lists = ['/keys?limit=100', '/operators?limit=100'];
  const read = async () =>
    (await Promise.all(lists.map((path) => admin.call(path)))).map(({ body }) => body);
  const post = (path: string, json = '{}') => admin.call(path, { method: 'POST', json });
  const before = await read();
  const { db } = service.database;
  await db.execute(`alter table audit_entries add constraint no_more check (id < 0) not valid`);
  const answers = [
    await change(key.id, '{"name":"b"}'),
    await post(`/keys/${key.id}/unban`),
    await post('/keys', '{"name":"x","plan":"free"}'),
    await post('/operators', '{"name":"Bob","role":"owner"}'),
    ...(await Promise.all(paths.map((path) => post(`${path}/rotate`, '{"graceSeconds":0}')))),
    ...(await Promise.all(paths.map((path) => post(`${path}/revoke`)))),
  ];
  await db.execute('alter table audit_entries drop constraint no_more');
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 500));
  expect(await read()).toEqual(before);
  expect((await service.call('/pets', { token })).status).toBe(200);
});
