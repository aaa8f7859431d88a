import type { Overview } from '@animal-store/admin-contract';
import { defaultBanPolicy } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import { openRedis } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { type Admin, adminOf, adminToken, useAdmin } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer, untilPassing } from '../support/local-server.ts';
import { call } from '../support/test-service.ts';
import { banOf, writeBans } from '../support/write-bans.ts';

const readOverview = (admin: Admin) => admin.read<Overview>('/overview');

/** Settings of bans for this test: the third denied request in a row leads to a ban. */
const quotas = { banPolicy: { ...defaultBanPolicy, minStrikes: 1, strikeShare: 0, graceMs: 0 } };
const usage = { flushMs: 20 };
const settings = {
  ...{ quotas, usage },
  overview: { countedForMs: 0 },
  bans: { writeMs: 20 },
};
const oneRequest = '"plan":"enterprise","quota":{"perMinute":1,"perDay":9}';

/**
 * Sends requests until one is refused because of a ban. Returns the number of denied requests
 * before the ban.
 */
async function ban(server: LocalServer, token: string): Promise<number> {
  let denials = -1;
  await untilPassing([server], async () => {
    denials += 1;
    const { text } = await call(`${server.baseUrl}/pets`, { token });
    return text.includes('key_temporarily_banned');
  });
  return denials;
}

describe('without Redis', () => {
  const { service, admin } = useAdmin('postgres', {
    ...settings,
    // The table contains a ban that a killed process enforced alone. Nobody enforces this ban any
    // more, so the overview must not show it.
    prepare: (db: Database) => writeBans(db, banOf(crypto.randomUUID(), 60)),
  });
  test('the overview lists callers with denied requests, and lists a banned API key until the key is unbanned', async () => {
    const stores = { database: 'postgres', quotas: 'in-process' };
    const replicas = { count: 1, reporting: 0 };
    expect(await readOverview(admin)).toMatchObject({ replicas, bans: [], denied: [], stores });
    const { key, token } = await admin.create(`{"name":"hasty",${oneRequest}}`);
    const denials = await ban(service.server, token);
    const shown = await untilPassing([service.server], async () => {
      const overview = await readOverview(admin);
      const isCounted = overview.denied[0]?.denials === denials;
      return isCounted && overview.keys.banned === 1 && overview;
    });
    expect(shown).toMatchObject({
      bans: [{ keyId: key.id, name: 'hasty', until: expect.any(String) }],
      denied: [{ account: null, keyId: key.id, name: 'hasty', denials }],
    });
    // The unban deletes the strikes (denied requests that count towards a ban) but keeps the
    // counted requests.
    expect((await admin.call(`/keys/${key.id}/unban`, { method: 'POST' })).body).toMatchObject({
      id: key.id,
      usage: {
        windows: { minute: { remaining: 0 }, day: { remaining: 8 } },
        ...{ strikes: 0, strikesResetAt: null, bannedUntil: null },
      },
    });
    expect(await readOverview(admin)).toMatchObject({ keys: { banned: 0 }, bans: [] });
  });

  test('the overview counts only active API keys', async () => {
    const countKeys = async () => {
      await service.server.pass(1);
      const { active, suspended } = (await readOverview(admin)).keys;
      return [active, suspended];
    };
    const [others = 0] = await countKeys();
    const { key } = await admin.create('{"plan":"free","account":"closed"}');
    const [active, suspended] = [
      [others + 1, 0],
      [others, 1],
    ];
    expect(await countKeys()).toEqual(active);
    for (const [path, counts] of [
      ['/accounts/closed/suspend', suspended],
      ['/accounts/closed/resume', active],
      [`/keys/${key.id}/suspend`, suspended],
      [`/keys/${key.id}/revoke`, [others, 0]],
    ] as const) {
      await admin.call(path, { method: 'POST' });
      expect(await countKeys()).toEqual(counts);
    }
  });
});

test('the overview of each replica shows the requests that all replicas have counted, and the number of replicas', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const own = { quotas, usage, ops: { adminToken } };
  const open = async () => stack.use(await openLocalServer(database.env, own));
  const servers = [await open(), await open()] as const;
  const { token } = await adminOf(servers[0]).create('{"plan":"business"}');
  for (let n = 0; n < 5; n++) await call(`${servers[0].baseUrl}/pets`, { token });
  for (let n = 0; n < 3; n++) await call(`${servers[1].baseUrl}/pets?limit=0`, { token });
  await call(`${servers[1].baseUrl}/pets`, { token: 'ast_unknown' });
  await call(`${servers[1].origin}/docs`);
  for (const admin of servers.map(adminOf)) {
    const { traffic } = await untilPassing(servers, async () => {
      const overview = await readOverview(admin);
      const { count, reporting } = overview.replicas;
      const { ok, client_error } = overview.traffic.requests;
      return count === 2 && reporting === 2 && ok + client_error === 9 && overview;
    });
    const others = { server_error: 0, denied: 0, banned: 0, refused: 0 };
    expect(traffic.requests).toEqual({ ok: 5, client_error: 4, ...others });
    expect(traffic.p50Ms).toBeGreaterThan(0);
    expect(traffic.p99Ms).toBeGreaterThanOrEqual(traffic.p50Ms ?? 0);
  }
});

// Regression: after Redis had lost its bans, the service admitted the requests of the API keys
// again. The overview still showed the bans for up to an hour.
test('the overview shows only those recorded bans that still exist in Redis', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const redis = stack.use(await openRedis());
  const own = {
    ...settings,
    quotas: { ...quotas, redis: [redis.url] },
    ops: { adminToken },
  };
  const server = stack.use(await openLocalServer(database.env, own));
  const admin = adminOf(server);
  await admin.call('/accounts/shared', { method: 'PUT', json: `{${oneRequest}}` });
  const kept = await admin.create(`{"name":"kept",${oneRequest}}`);
  const lost = await admin.create(`{"name":"lost",${oneRequest}}`);
  const lostToo = await admin.create('{"name":"lost too","account":"shared"}');
  for (const { token } of [kept, lost, lostToo]) await ban(server, token);
  const shown = async () => {
    const { bans, keys, stores } = await readOverview(admin);
    expect(stores.quotas).toBe('redis');
    const { body } = await admin.call('/keys?banned=true');
    const listed = (body as { name: string }[]).map(({ name }) => name).sort();
    return [keys.banned, bans.map(({ name }) => name).sort(), listed];
  };
  const names = ['kept', 'lost', 'lost too'];
  await untilPassing([server], async () => (await shown())[0] === 3);
  expect(await shown()).toEqual([3, names, names]);
  const stored = (await redis.command('keys', 'animal-store:*')).trim().split('\n');
  await redis.command('del', ...stored.filter((name) => !name.includes(kept.key.id)));
  const none = { account: 'shared', bannedKeys: 0 };
  expect((await admin.call('/accounts')).body).toMatchObject([none]);
  expect(await shown()).toEqual([1, ['kept'], ['kept']]);
  expect((await admin.call('/accounts/shared')).body).toMatchObject({ ...none, bans: [] });
});
