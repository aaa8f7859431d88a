import { until } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { databaseKinds } from '../support/databases.ts';
import { call, startService, type TestService } from '../support/service.ts';

const quick = { ADMIN_TOKEN: adminToken, USAGE_FLUSH_MS: '20', USAGE_ROLL_UP_MS: '20' };

type Row = { at: string; operation: string; outcome: string; requests: number };
type Ledger = { keyId: string; from: string; to: string; bucket: string; rows: Row[] };

describe.each(databaseKinds)('usage on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind, { env: quick });
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  const admin = () => adminOf(service.server);
  const ledgerOf = async (keyId: string, query = '') =>
    (await admin().call(`/keys/${keyId}/usage${query}`)).body as Ledger;

  /** The requests of a key by operation and outcome, once there are so many. */
  const countsOf = (keyId: string, total: number, query?: string) =>
    until(async () => {
      const { rows } = await ledgerOf(keyId, query);
      const counts: Record<string, number> = {};
      for (const { operation, outcome, requests } of rows) {
        const name = `${operation} ${outcome}`;
        counts[name] = (counts[name] ?? 0) + requests;
      }
      return sum(rows) === total && counts;
    });

  test('is counted by operation and outcome', async () => {
    const { key, token } = await admin().create(
      '{"plan":"enterprise","quota":{"perMinute":9,"perDay":1000}}',
    );
    const ask = (path: string, more = {}) =>
      call(service.server.baseUrl + path, { token, ...more });
    await ask('/pets');
    await ask('/pets?limit=0');
    await ask('/pets', { method: 'HEAD' });
    await ask('/pets', { json: '{"name":"Rex","categoryId":1}' });
    await ask('/pets', { json: '{}' });
    await ask('/pets/999999');
    await ask('/store/orders');
    await ask('/nowhere');
    await ask('/pets', { method: 'DELETE' });
    await ask('/rate-limit');
    expect((await ask('/pets')).status).toBe(429);
    expect(await countsOf(key.id, 11)).toEqual({
      'listPets ok': 2,
      'listPets client_error': 1,
      'createPet ok': 1,
      'createPet client_error': 1,
      'getPet client_error': 1,
      'listOrders server_error': 1,
      'none client_error': 2,
      'none ok': 1,
      'listPets denied': 1,
    });
    for (const bucket of ['minute', 'day']) {
      await countsOf(key.id, 11, `?bucket=${bucket}`);
    }
  });

  test('is shown for all keys, for a plan, and for the busiest keys of the day', async () => {
    const { key, token } = await admin().create('{"plan":"business"}');
    const totals = async (query: string) =>
      sum(((await admin().call(`/usage${query}`)).body as Ledger).rows);
    const busiest = async (query = '') => (await admin().call(`/usage/keys${query}`)).body;
    for (let n = 0; n < 20; n += 1) await call(`${service.server.baseUrl}/pets`, { token });
    for (let n = 0; n < 2; n += 1) await call(`${service.server.baseUrl}/pets`);
    await until(async () => (await totals('?plan=business')) === 20);
    await until(async () => (await totals('')) >= 22);
    expect(await totals('?plan=pro')).toBe(0);
    const all = (await admin().call('/usage?bucket=day')).body as Ledger;
    expect(all.rows).toContainEqual(
      expect.objectContaining({ operation: 'none', outcome: 'client_error' }),
    );
    const expected = { day: expect.any(String), keys: [{ keyId: key.id, requests: 20 }] };
    expect(await busiest('?limit=1')).toEqual(expected);
    expect(await busiest('?plan=business')).toEqual(expected);
    expect(await busiest('?day=2001-01-01')).toEqual({ day: '2001-01-01', keys: [] });
  });

  test('has whole buckets, in UTC, before their end', async () => {
    const { key } = await admin().create('{"plan":"free"}');
    const query = '?bucket=hour&from=2026-11-21T10:15:00%2B02:00&to=2026-11-21T09:01:00Z';
    expect(await ledgerOf(key.id, query)).toEqual({
      keyId: key.id,
      from: '2026-11-21T08:00:00.000Z',
      to: '2026-11-21T10:00:00.000Z',
      bucket: 'hour',
      rows: [],
    });
  });

  test.each([
    ['?bucket=week', 'bucket: expected one of minute, hour, day'],
    ['?from=yesterday', 'from: expected an ISO 8601 date and time'],
    ['?from=0000-01-01T00:00:00Z', 'from: expected a time from the year 2000 to 2999'],
    ['?from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z', 'from: expected a time before to'],
    [
      '?bucket=minute&from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z',
      'from: expected at most 1500 buckets before to, got 2880',
    ],
  ])('%s is refused', async (query, message) => {
    const { key } = await admin().create('{"plan":"free"}');
    const { status, body } = await admin().call(`/keys/${key.id}/usage${query}`);
    expect({ status, ...(body as object) }).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: expect.stringContaining(message),
    });
  });

  test('of a key that does not exist is 404', async () => {
    const nobody = '00000000-0000-0000-0000-000000000000';
    expect((await admin().call(`/keys/${nobody}/usage`)).status).toBe(404);
  });
});

test.each(databaseKinds)('a graceful stop on %s loses nothing', async (kind) => {
  await using service = await startService(kind, {
    env: { ADMIN_TOKEN: adminToken, USAGE_FLUSH_MS: '60000', USAGE_ROLL_UP_MS: '20' },
  });
  const { key, token } = await adminOf(service.server).create('{"plan":"pro"}');
  for (let n = 0; n < 5; n += 1) await call(`${service.server.baseUrl}/pets`, { token });
  expect(await service.server.stop()).toBe(0);
  await service.restart();
  await until(async () => {
    const { body } = await adminOf(service.server).call(`/keys/${key.id}/usage`);
    return sum((body as Ledger).rows) === 5;
  });
});

function sum(rows: readonly Row[]): number {
  return rows.reduce((total, { requests }) => total + requests, 0);
}
