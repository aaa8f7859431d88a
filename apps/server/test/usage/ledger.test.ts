import { randomUUID } from 'node:crypto';
import type { Key, KeyDetails, LedgerOfKey, ServiceLedger } from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { createUsageRepository } from '../../src/usage/usage-repository.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import type { AnyServer, LocalServer } from '../support/local-server.ts';
import { startReplicas } from '../support/replicas.ts';
import { call, startService, useService } from '../support/test-service.ts';

const quick = { ADMIN_TOKEN: adminToken, USAGE_FLUSH_MS: '50', USAGE_ROLL_UP_MS: '50' };

type Ledger = LedgerOfKey & ServiceLedger;

const dayMs = 86_400_000;

describe('usage', () => {
  const service = useService('postgres', { env: quick });

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
      'getRateLimit ok': 1,
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
    for (let n = 0; n < 20; n += 1) await call(`${service.server.baseUrl}/pets`, { token });
    for (let n = 0; n < 2; n += 1) await call(`${service.server.baseUrl}/pets`);
    await until(async () => (await totals('?plan=business')) === 20);
    await until(async () => (await totals('')) >= 22);
    const top = (await admin().call('/usage?groupBy=key&limit=1')).body as Ledger;
    expect(top.keys).toMatchObject([{ keyId: key.id, requests: 20 }]);
    expect(await totals('?plan=pro')).toBe(0);
    const all = (await admin().call('/usage?bucket=day')).body as Ledger;
    expect(all.rows).toContainEqual(
      expect.objectContaining({ operation: 'none', outcome: 'client_error' }),
    );
  });

  test('is shown for the keys of an account, together and one by one', async () => {
    const use = async (token: string, times: number) => {
      for (let n = 0; n < times; n += 1) await call(`${service.server.baseUrl}/pets`, { token });
    };
    const account = '"C-17", =1+1';
    const create = (name: string, plan: string) =>
      admin().create(JSON.stringify({ name, plan, account }));
    const idle = await create('idle', 'pro');
    const busy = await create('=cmd()', 'pro');
    const other = await create('Łódź, 🐈', 'free');
    const stranger = await admin().create('{"plan":"pro"}');
    await use(busy.token, 3);
    await use(other.token, 2);
    await use(stranger.token, 1);

    const ledger = async (query: string) => {
      const filter = `?account=${encodeURIComponent(account)}&bucket=day${query}`;
      return (await admin().call(`/usage${filter}`)).body as Ledger;
    };
    await until(async () => sum((await ledger('')).rows) === 5);
    expect(sum((await ledger('&plan=free')).rows)).toBe(2);
    expect(sum((await ledger('&plan=business')).rows)).toBe(0);

    const { from, to } = await ledger('&groupBy=key');
    const answer = (keys: object[], rows: object[]) => ({ from, to, bucket: 'day', keys, rows });
    const rowOf = (keyId: string, requests: number) => ({
      ...{ keyId, at: from, operation: 'listPets', outcome: 'ok', requests },
    });
    const first = { keyId: busy.key.id, name: '=cmd()', account, plan: 'pro', requests: 3 };
    const second = { keyId: other.key.id, name: 'Łódź, 🐈', account, plan: 'free', requests: 2 };
    const rows = [rowOf(busy.key.id, 3), rowOf(other.key.id, 2)] as const;
    expect(await ledger('&groupBy=key')).toEqual(answer([first, second], [...rows]));
    expect(await ledger('&groupBy=key&limit=1')).toEqual(answer([first], [rows[0]]));
    expect(await ledger('&groupBy=key&plan=free')).toEqual(answer([second], [rows[1]]));
    expect(await ledger('&groupBy=key&plan=enterprise')).toEqual(answer([], []));
    const weekBefore = new Date(Date.parse(to) - 7 * dayMs).toISOString();
    expect((await ledger(`&groupBy=key&from=${weekBefore}`)).keys).toEqual([first, second]);

    const lastUsedOf = async (id: string) =>
      ((await admin().call(`/keys/${id}`)).body as KeyDetails).lastUsedAt;
    expect(await lastUsedOf(idle.key.id)).toBe(null);
    const lastUsedAt = await lastUsedOf(busy.key.id);
    expect(lastUsedAt).toMatch(/:00\.000Z$/);
    const listed = (await admin().call('/keys?limit=100')).body as Key[];
    expect(listed.find(({ id }) => id === busy.key.id)?.lastUsedAt).toBe(lastUsedAt);
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
      'from: expected at most 1500 buckets of a minute before to, got 2880',
    ],
  ])('of a key, %s is refused', async (query, message) => {
    const { key } = await admin().create('{"plan":"free"}');
    const { status, body } = await admin().call(`/keys/${key.id}/usage${query}`);
    expect({ status, ...(body as object) }).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['?limit=5', 'limit: expected none without groupBy, got 5'],
    ['?groupBy=plan', 'groupBy: expected key, got "plan"'],
    ['?groupBy=key&limit=1000000', 'limit: expected one integer from 1 to 100, got "1000000"'],
    [
      '?groupBy=key&bucket=hour&from=2026-01-01T00:00:00Z&to=2026-11-21T00:00:00Z',
      'bucket: expected day with groupBy, got hour; from: expected at most 31 buckets of a day before to, got 324',
    ],
    [
      '?plan=gold&account=&bucket=week&to=9999-12-31T23:59:59Z',
      'to: expected a time from the year 2000 to 2999, got "9999-12-31T23:59:59Z"; bucket: expected one of minute, hour, day, got "week"; plan: expected one of free, pro, business, enterprise, got "gold"; account: expected 1 to 255 characters, without control characters and lone surrogates, got ""',
    ],
  ])('of all keys, %s is refused, and every fault is named', async (query, message) => {
    const { status, body } = await admin().call(`/usage${query}`);
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 'invalid_request', status: 400, message },
    });
  });

  test('of a key that does not exist is 404', async () => {
    const nobody = '00000000-0000-0000-0000-000000000000';
    expect((await admin().call(`/keys/${nobody}/usage`)).status).toBe(404);
  });
});

/** Nothing happens by itself while a test runs. */
const slow = { ADMIN_TOKEN: adminToken, USAGE_FLUSH_MS: '60000', USAGE_ROLL_UP_MS: '600000' };

test('a question counts all requests before it: of this replica, of others and of one that has stopped', async () => {
  await using replicas = await startReplicas({ env: [slow, slow] });
  const [first, second] = replicas.servers as readonly [LocalServer, LocalServer];
  const token = await replicas.createToken('pro');
  const use = async (server: AnyServer, times: number) => {
    for (let n = 0; n < times; n += 1) {
      expect((await replicas.ask(server, token)).status).toBe(200);
    }
  };
  // Before the replicas write by themselves.
  const untilCounted = (server: AnyServer, requests: number) =>
    until(
      async () => sum(((await adminOf(server).call('/usage')).body as Ledger).rows) === requests,
      { timeoutMs: 50_000 },
    );
  await use(first, 3);
  await use(second, 5);
  await untilCounted(first, 8);

  // A graceful stop loses nothing. Only the others write soon after a question, so these are in memory.
  await use(first, 7);
  await first.stop();
  await untilCounted(second, 15);
});

test('a graceful stop loses nothing while a roll-up takes long', async () => {
  await using service = await startService('postgres', {
    env: { ADMIN_TOKEN: adminToken, USAGE_FLUSH_MS: '60000', USAGE_ROLL_UP_MS: '20' },
  });
  const { key, token } = await adminOf(service.server).create('{"plan":"pro"}');
  const sql = postgres(service.database.env['DATABASE_URL'] ?? '', { onnotice() {} });
  const stopped = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const locking = sql.begin(async (tx) => {
    await tx`lock table usage.days in exclusive mode`;
    locked.resolve();
    await stopped.promise;
  });
  await locked.promise;
  const { db, close } = await service.database.open();
  const minute = Math.floor(Date.now() / 60_000);
  const entry = { keyId: key.id, plan: 1, minute, operation: 1, outcome: 0, requests: 1 };
  const flush = { replica: randomUUID(), sequence: 1, flushedAt: new Date(), entries: [entry] };
  await createUsageRepository(db).add(flush);
  await close();
  // In this database: those of other tests have locks in the same Postgres.
  const waiting = () => sql`select from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and not granted`;
  await until(async () => (await waiting()).length > 0);

  for (let n = 0; n < 5; n += 1) await call(`${service.server.baseUrl}/pets`, { token });
  await service.server.stop();
  stopped.resolve();
  await locking;
  const [written] = await sql`select sum(counted)::int
    from usage.flushes, unnest(flushes.requests) counted`;
  expect(written).toEqual({ sum: 6 });
  await sql.end();
});

test('a stop that cannot write says how many requests are lost', async () => {
  await using service = await startService('postgres', { env: { USAGE_FLUSH_MS: '60000' } });
  for (let n = 0; n < 5; n += 1) expect((await service.call('/pets')).status).toBe(200);
  const sql = postgres(service.database.env['DATABASE_URL'] ?? '', { onnotice() {} });
  await sql`alter table usage.flushes rename to flushes_elsewhere`;
  await service.server.stop();
  expect(service.server.output()).toMatch(
    /"requests":5,.*"requests are missing in the usage ledger"/,
  );
  await sql.end();
});

function sum(rows: Ledger['rows']): number {
  return rows.reduce((total, { requests }) => total + requests, 0);
}
