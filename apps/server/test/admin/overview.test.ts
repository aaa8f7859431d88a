import type { IssuedKey, Overview } from '@animal-store/contract/admin';
import { openRedis } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { readBansAsStored } from '../../src/database/open-bans.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createOverview } from '../../src/overview/overview.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createUsageQueries } from '../../src/usage/usage-queries.ts';
import { type Admin, adminOf, adminToken, useAdmin } from '../support/admin.ts';
import { createDatabase, useDatabase } from '../support/databases.ts';
import { openLocalServer, untilPassing } from '../support/local-server.ts';
import { call } from '../support/test-service.ts';
import { banOf, writeBans } from '../support/write-bans.ts';

const readOverview = async (admin: Admin): Promise<Overview> => {
  const { status, body } = await admin.call('/overview');
  expect(status).toBe(200);
  return body as Overview;
};

/** The third denial in a row bans. */
const hasty = { BAN_MIN_STRIKES: '1', BAN_STRIKE_PERCENT: '0', BAN_GRACE_MS: '0' };

const options = {
  env: { ...hasty, USAGE_FLUSH_MS: '20' },
  // A ban that was in the memory of a process before this one, which was killed.
  prepare: (db: Database) => writeBans(db, banOf(crypto.randomUUID(), 60)),
  timings: { overview: { countedForMs: 0 }, audit: { writeMs: 20 } },
};

describe('the overview of a new service', () => {
  const { service, admin } = useAdmin('postgres', options);

  test('shows zeros and what it runs on, then each request once by its outcome, and only callers', async () => {
    expect(await readOverview(admin)).toEqual({
      at: expect.any(String),
      replicas: { count: 1, reporting: 0 },
      traffic: {
        seconds: 60,
        requests: { ok: 0, client_error: 0, server_error: 0, denied: 0, banned: 0, refused: 0 },
        p50Ms: null,
        p99Ms: null,
      },
      keys: { active: 4, suspended: 0, banned: 0 },
      bans: [],
      denied: [],
      stores: { database: 'postgres', quotas: 'in-process' },
      readiness: { status: 'ready', reasons: [] },
    });
    for (let n = 0; n < 7; n++) await service.call('/pets');
    for (let n = 0; n < 3; n++) await service.call('/pets?limit=0');
    await service.call('/pets', { token: 'ast_unknown' });
    await call(`${service.server.origin}/docs`);
    const { traffic, replicas } = await untilPassing([service.server], async () => {
      const overview = await readOverview(admin);
      return (
        overview.traffic.requests.ok + overview.traffic.requests.client_error === 11 && overview
      );
    });
    expect(replicas).toEqual({ count: 1, reporting: 1 });
    expect(traffic.requests).toEqual({
      ok: 7,
      client_error: 4,
      server_error: 0,
      denied: 0,
      banned: 0,
      refused: 0,
    });
    expect(traffic.p50Ms).toBeGreaterThan(0);
    expect(traffic.p99Ms).toBeGreaterThanOrEqual(traffic.p50Ms ?? 0);
  });
});

describe('the overview', () => {
  const { service, admin } = useAdmin('postgres', options);

  test('a ban shows until the key is unbanned', async () => {
    const { key, token } = await admin.create(
      '{"name":"hasty","plan":"enterprise","quota":{"perMinute":1,"perDay":9}}',
    );
    const statuses: unknown[] = [];
    await untilPassing([service.server], async () => {
      const { body } = await service.call('/pets', { token });
      statuses.push(body);
      return (body as { code?: string }).code === 'key_temporarily_banned';
    });
    // The start of a ban is written within a second.
    await untilPassing([service.server], async () => (await readOverview(admin)).keys.banned === 1);
    expect((await readOverview(admin)).bans).toEqual([
      { keyId: key.id, name: 'hasty', until: expect.any(String) },
    ]);
    const denials = statuses.filter((body) => 'code' in (body as object)).length;
    const denied = [{ account: null, keyId: key.id, name: 'hasty', denials }];
    await untilPassing(
      [service.server],
      async () => (await readOverview(admin)).denied[0]?.denials === denials,
    );
    expect((await readOverview(admin)).denied).toEqual(denied);
    // It clears the strikes, and keeps the counts.
    expect((await admin.call(`/keys/${key.id}/unban`, { method: 'POST' })).body).toMatchObject({
      id: key.id,
      usage: {
        windows: { minute: { remaining: 0 }, day: { remaining: 8 } },
        ...{ strikes: 0, strikesResetAt: null, bannedUntil: null },
      },
    });
    expect(await readOverview(admin)).toMatchObject({ keys: { banned: 0 }, bans: [] });
  });

  test('only active keys are counted', async () => {
    const { active: others } = (await readOverview(admin)).keys;
    const untilActive = (count: number) =>
      untilPassing([service.server], async () => (await readOverview(admin)).keys.active === count);
    const { key } = await admin.create('{"plan":"free","account":"closed"}');
    await untilActive(others + 1);
    await admin.call('/accounts/closed/suspend', { method: 'POST' });
    await untilActive(others);
    expect((await readOverview(admin)).keys.suspended).toBe(1);
    await admin.call('/accounts/closed/resume', { method: 'POST' });
    await untilActive(others + 1);
    await admin.call(`/keys/${key.id}/suspend`, { method: 'POST' });
    await untilActive(others);
    expect((await readOverview(admin)).keys.suspended).toBe(1);
    await admin.call(`/keys/${key.id}/resume`, { method: 'POST' });
    await untilActive(others + 1);
    await admin.call(`/keys/${key.id}/revoke`, { method: 'POST' });
    await untilActive(others);
  });
});

describe('in the database', () => {
  const database = useDatabase('postgres');

  test('a key that replicas have banned by themselves is shown once, with the last end', async () => {
    const { db } = database;
    const { id } = await createApiKey(db, { name: 'x', plan: 'free' });
    const bans = [banOf(id, 10), banOf(id, 20)];
    await writeBans(db, ...bans);
    const overview = createOverview({
      db,
      clock: systemClock,
      countedForMs: 0,
      replicas: { count: () => 1 },
      usage: createUsageQueries(db),
      readBans: readBansAsStored,
      stores: { database: 'postgres', quotas: 'redis' },
    });
    expect(await overview.read()).toMatchObject({
      keys: { banned: 1 },
      bans: [{ keyId: id, name: 'x', until: bans[1]?.until }],
    });
  });
});

test('every replica shows the traffic of all, and how many they are', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const redis = stack.use(await openRedis());
  const env = {
    ...database.env,
    REDIS_URL: redis.url,
    ADMIN_TOKEN: adminToken,
    USAGE_FLUSH_MS: '20',
  };
  const start = async () => stack.use(await openLocalServer(env));
  const servers = [await start(), await start()] as const;
  const [one, other] = [adminOf(servers[0]), adminOf(servers[1])];
  const { token } = (await one.create('{"plan":"business"}')) as IssuedKey;
  for (let n = 0; n < 5; n++) await call(`${servers[0].baseUrl}/pets`, { token });
  for (let n = 0; n < 3; n++) await call(`${servers[1].baseUrl}/pets?limit=0`, { token });

  for (const admin of [one, other]) {
    await untilPassing(servers, async () => {
      const { replicas, traffic } = await readOverview(admin);
      const { ok, client_error } = traffic.requests;
      return replicas.count === 2 && replicas.reporting === 2 && ok === 5 && client_error === 3;
    });
    expect((await readOverview(admin)).stores).toEqual({ database: 'postgres', quotas: 'redis' });
  }
});

// Requests were served again, and bans were shown for up to an hour.
test('bans that Redis has lost are shown no more, and the others are', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const redis = stack.use(await openRedis());
  const env = { ...database.env, ...hasty, REDIS_URL: redis.url, ADMIN_TOKEN: adminToken };
  const timings = { audit: { writeMs: 20 } };
  const server = stack.use(await openLocalServer(env, { timings }));
  const admin = adminOf(server);
  await admin.call('/accounts/shared', {
    method: 'PUT',
    json: '{"plan":"enterprise","quota":{"perMinute":1,"perDay":9}}',
  });
  const quota = '"plan":"enterprise","quota":{"perMinute":1,"perDay":9}';
  const issued = await Promise.all(
    [
      `{"name":"lost",${quota}}`,
      `{"name":"lost too","account":"shared"}`,
      `{"name":"kept",${quota}}`,
    ].map(async (body) => (await admin.create(body)) as IssuedKey),
  );
  for (const { token } of issued) {
    await untilPassing([server], async () => {
      const { body } = await call(`${server.baseUrl}/pets`, { token });
      return (body as { code?: string }).code === 'key_temporarily_banned';
    });
  }
  const shown = async () => {
    const { bans, keys } = await readOverview(admin);
    const { body } = await admin.call('/keys?banned=true');
    const listed = (body as { name: string }[]).map(({ name }) => name).sort();
    return [keys.banned, bans.map(({ name }) => name).sort(), listed];
  };
  const names = ['kept', 'lost', 'lost too'];
  await untilPassing([server], async () => (await shown())[0] === 3);
  expect(await shown()).toEqual([3, names, names]);
  const kept = issued[2]?.key.id ?? '';
  const connection = stack.adopt(new Redis(redis.url), (opened) => opened.disconnect());
  for (const name of await connection.keys('animal-store:*'))
    if (!name.includes(kept)) await connection.del(name);
  expect((await admin.call('/accounts')).body).toMatchObject([
    { account: 'shared', bannedKeys: 0 },
  ]);
  expect(await shown()).toEqual([1, ['kept'], ['kept']]);
  expect((await admin.call('/accounts/shared')).body).toMatchObject({ bannedKeys: 0, bans: [] });
});
