import type { Key, KeyDetails, LedgerOfKey, ServiceLedger } from '@animal-store/admin-contract';
import { followStatements } from '@animal-store/postgres/internal';
import { createClockAtNoon } from '@animal-store/runtime/test-clock';
import { expect, test } from 'vitest';
import { announceKeyChange } from '../../src/replicas/change-channel.ts';
import { useAdmin } from '../support/admin.ts';
import { connectTo } from '../support/databases.ts';
import { openLocalServer, untilPassing } from '../support/local-server.ts';
import { call, startService } from '../support/test-service.ts';
import { sumOf } from '../support/write-usage.ts';

type Ledger = LedgerOfKey & ServiceLedger;

// The clock starts in the middle of an hour, so that all requests are in the same hour.
const clock = createClockAtNoon();
const { service, admin } = useAdmin('postgres', {
  clock,
  usage: { flushMs: 20 },
  quotas: { addressPerMinute: 4 },
  api: { trustedProxies: 1 },
});
const read = (path: string) => admin.read<Ledger>(path);
const post = (path: string, json = '{}') => admin.call(path, { method: 'POST', json });

test('the admin API returns the usage of one API key by operation and outcome, of all API keys, and of the busiest API keys', async () => {
  const { key, token } = await admin.create(
    '{"plan":"enterprise","quota":{"perMinute":9,"perDay":1000},"name":"=cmd()","account":"\\"C-17\\", =1+1"}',
  );
  for (const [path, options] of [
    ['/pets'],
    ['/pets?limit=0'],
    ['/pets', { method: 'HEAD' }],
    ['/pets', { json: '{"name":"Rex","categoryId":1}' }],
    ['/pets', { json: '{}' }],
    ['/pets/999999'],
    ['/store/orders'],
    ['/nowhere'],
    ['/pets', { method: 'DELETE' }],
    ['/rate-limit'],
    // This request exceeds the limit of the API key.
    ['/pets'],
  ] as const) {
    await service.call(path, { token, ...options });
  }
  const { rows } = await untilPassing([service.server], async () => {
    const found = await read(`/keys/${key.id}/usage`);
    return sumOf(found.rows) === 11 && found;
  });
  expect(rows.map(({ operation, outcome, requests }) => [operation, outcome, requests])).toEqual([
    ['none', 'client_error', 2],
    ['listPets', 'ok', 2],
    ['listPets', 'client_error', 1],
    ['listPets', 'denied', 1],
    ['createPet', 'ok', 1],
    ['createPet', 'client_error', 1],
    ['getPet', 'client_error', 1],
    ['listOrders', 'server_error', 1],
    ['getRateLimit', 'ok', 1],
  ]);
  const { name, account } = key;
  const top = await read('/usage?groupBy=key&plan=enterprise&limit=1');
  expect(top).toMatchObject({
    bucket: 'day',
    keys: [{ keyId: key.id, name, account, plan: 'enterprise', requests: 11 }],
  });
  const ofAccount = await read(`/usage?account=${encodeURIComponent(account ?? '')}`);
  expect([sumOf(top.rows), sumOf(ofAccount.rows)]).toEqual([11, 11]);
  const { lastUsedAt } = await admin.read<KeyDetails>(`/keys/${key.id}`);
  expect(lastUsedAt).not.toBeNull();
});

test('the admin API returns usage in whole buckets in UTC, including the bucket that contains the end of the period, and says since when the counts are stored', async () => {
  const { key } = await admin.create('{"plan":"free","name":"unused"}');
  const query = '?bucket=hour&from=2026-11-21T10:15:00%2B02:00&to=2026-11-21T09:01:00Z';
  expect(await read(`/keys/${key.id}/usage${query}`)).toEqual({
    keyId: key.id,
    from: '2026-11-21T08:00:00.000Z',
    to: '2026-11-21T10:00:00.000Z',
    bucket: 'hour',
    // By default, the service stores hours for 90 days.
    keptSince: new Date(clock.now() - 90 * 24 * 3_600_000).toISOString(),
    rows: [],
  });
});

test.each([
  [
    '?groupBy=key&bucket=hour&from=2026-01-01T00:00:00Z&to=2026-11-21T00:00:00Z',
    'bucket: expected day, because the query has groupBy, got hour; from: expected a range of at most 31 buckets (bucket=day), got 324',
  ],
  [
    '?from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z',
    'from: expected a time before the end of the period, got "2026-11-22T00:00:00Z"',
  ],
  ['?from=2099-11-22T00:00:00Z', 'from: expected a time before now, because the query has no "to"'],
])(
  'the admin API refuses the usage query %s and names every invalid parameter',
  async (query, message) => {
    const { body } = await admin.call(`/usage${query}`);
    expect(body).toEqual({ code: 'invalid_request', status: 400, message });
  },
);

test.each<[why: string, status: number, end: (key: Key) => unknown]>([
  ['is suspended', 403, ({ id }) => post(`/keys/${id}/suspend`)],
  ['has a suspended account', 403, ({ account }) => post(`/accounts/${account}/suspend`)],
  ['is revoked', 401, ({ id }) => post(`/keys/${id}/revoke`)],
  ['has a new token', 401, ({ id }) => post(`/keys/${id}/rotate`, '{"graceSeconds":0}')],
  [
    'has expired',
    401,
    async ({ id }) => {
      const { db } = service.database;
      await db.execute(`update api_keys set expires_at = now() where id = '${id}'`);
      await announceKeyChange(db, id);
    },
  ],
])(
  'requests with an API key that %s appear in the usage of this API key, but use up the quota of their network',
  async (why, status, end) => {
    const account = `of a key that ${why}`;
    const { key, token } = await admin.create(
      JSON.stringify({ name: why, account, plan: 'business' }),
    );
    const headers = { 'X-Forwarded-For': `192.0.2.${why.length}` };
    const use = async () => (await service.call('/pets', { token, headers })).status;
    expect(await use()).toBe(200);
    await end(key);
    // The test sends requests until the replica refuses the API key, because the NOTIFY about the
    // change takes a moment to arrive. `served` is the number of requests that were still accepted.
    let served = 1;
    await untilPassing([service.server], async () => (await use()) !== 200 || ++served < 0);
    const lookUps: string[] = [];
    const stopFollowing = followStatements((name) => lookUps.push(name));
    const statuses: number[] = [];
    while (statuses.length < 5) statuses.push(await use());
    stopFollowing();
    expect(statuses).toEqual([status, status, status, 429, 429]);
    // The message about the change may arrive only now. In this case, the replica looks up the API
    // key once more.
    expect(lookUps.filter((name) => name === 'find_key_by_token').length).toBeLessThan(2);

    const { history, lastUsedAt, lastRefusedAt, usage } = await untilPassing(
      [service.server],
      async () => {
        const details = await admin.read<KeyDetails>(`/keys/${key.id}?include=history`);
        // Two SQL statements read the details of an API key. The second one may already see more
        // requests than the first one, so the test waits until both agree.
        const isCounted = sumOf(details.history?.rows) === served + 6;
        return details.lastRefusedAt !== null && isCounted && details;
      },
    );
    expect(history?.rows).toMatchObject([
      { operation: 'listPets', outcome: 'ok', requests: served },
      { operation: 'listPets', outcome: 'refused', requests: 6 },
    ]);
    expect(Date.parse(lastRefusedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(lastUsedAt ?? ''));
    expect(usage.windows.day.remaining).toBe(100_000 - served);
  },
);

test('at shutdown, the service writes all request counts to the database, or logs how many requests are lost', async () => {
  const usage = { flushMs: 60_000 };
  await using service = await startService('postgres', { usage });
  await using sql = connectTo(service.database.url);
  for (let n = 0; n < 3; n += 1) await service.call('/pets');
  await service.server.stop();
  const counted = await sql`select sum(requests)::int from usage.counts where span = 1`;
  expect(counted).toEqual([{ sum: 6 }]);
  await using next = await openLocalServer(service.database.env, { usage });
  const token = service.tokens.enterprise;
  for (let n = 0; n < 5; n += 1) await call(`${next.baseUrl}/pets`, { token });
  await sql`alter table usage.written rename to written_elsewhere`;
  await next.stop();
  expect(next.output()).toMatch(/"requests":5,.*"requests are missing from the stored usage"/);
});
