import type { AuditEntry, IssuedKey, Key, KeyDetails } from '@animal-store/admin-contract';
import { expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { expectError } from '../support/expectations.ts';
import { requestLine } from '../support/observed.ts';

const { service, admin } = useAdmin();

const make = () => admin.create('{"plan":"free","name":"x"}');
const post = (id: string, action: string, json = '{}') =>
  admin.call(`/keys/${id}/${action}`, { method: 'POST', json });
const show = (id: string) => admin.read<KeyDetails>(`/keys/${id}`);
const use = async (token: string) => (await service.call('/pets', { token })).status;

test('the service refuses a suspended API key until it is resumed, and the admin API shows when and why it was suspended', async () => {
  const { key, token } = await make();
  expect(await use(token)).toBe(200);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const suspension = { at, reason: 'Invoice 4711 🐈' };
  const suspended = await post(key.id, 'suspend?reason=Invoice%204711%20%F0%9F%90%88');
  expect(suspended.body).toEqual({ ...key, state: 'suspended', suspension });
  expect(await show(key.id)).toMatchObject(suspended.body as Key);
  // A second suspension keeps the time of the first one. It changes the reason only if a new reason
  // is given.
  const unpaid = { ...(suspended.body as Key).suspension, reason: 'unpaid' };
  expect((await post(key.id, 'suspend')).body).toEqual(suspended.body);
  expect((await post(key.id, 'suspend?reason=unpaid')).body).toMatchObject({ suspension: unpaid });
  // The error message says whom to contact, but does not contain the reason. The request does not
  // count against the API key's quota.
  for (const [method, path] of [
    ['POST', '/pets'],
    ['GET', '/rate-limit'],
    ['GET', '/nowhere'],
  ] as const) {
    const answer = await service.call(path, { method, token });
    expectError(answer, 403, 'key_suspended', /Ask the person who gave it to you, or the operator/);
    expect(answer.text).not.toContain('unpaid');
    expect(answer.headers.has('WWW-Authenticate')).toBe(false);
    const line = await requestLine(service.server, answer.headers.get('X-Request-Id') ?? '');
    // A request with a suspended key counts against its network. So the field `quota` in the log
    // shows the decision about the network.
    const fields = { errorCode: 'key_suspended', quota: 'admitted', keyId: key.id, plan: 'free' };
    expect(line).toMatchObject(fields);
  }
  expect((await show(key.id)).usage.windows).toMatchObject({ minute: { remaining: 59 } });

  expect((await post(key.id, 'resume?reason=paid')).body).toEqual(key);
  expect((await post(key.id, 'resume')).body).toEqual(key);
  expect(await use(token)).toBe(200);
  const entries = await admin.read<AuditEntry[]>(`/audit?keyId=${key.id}`);
  expect(
    entries.map(({ action, before, after, reason }) => [
      ...[action, before.suspension, after.suspension, reason],
    ]),
  ).toEqual([
    ['key.resumed', unpaid, null, 'paid'],
    ['key.suspended', suspension, unpaid, 'unpaid'],
    ['key.suspended', null, suspension, suspension.reason],
    ['key.created', undefined, undefined, null],
  ]);
});

test('a suspended API key can be changed, rotated and revoked, and stays suspended with its new token', async () => {
  const { key, token } = await make();
  await post(key.id, 'suspend');
  const json = '{"plan":"pro","name":"y"}';
  const changed = await admin.call(`/keys/${key.id}`, { method: 'PATCH', json });
  expect(changed.body).toMatchObject({ plan: 'pro', name: 'y', state: 'suspended' });
  const rotated = (await post(key.id, 'rotate', '{"graceSeconds":60}')).body as IssuedKey;
  expect(rotated.key.state).toBe('suspended');
  const tokens = [token, rotated.token];
  expect(await Promise.all(tokens.map(use))).toEqual([403, 403]);
  await post(key.id, 'resume');
  expect(await Promise.all(tokens.map(use))).toEqual([200, 200]);
  await post(key.id, 'suspend');
  await post(key.id, 'revoke');
  expect(await use(token)).toBe(401);
  expect((await show(key.id)).state).toBe('revoked');
});
