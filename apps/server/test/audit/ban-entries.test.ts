import type { AuditEntry } from '@animal-store/contract/admin';
import { openRedis, openTcpProxy, until } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuditLog } from '../../src/audit/audit-log.ts';
import { createBanLog } from '../../src/audit/ban-log.ts';
import { adminOf, adminToken, someCause } from '../support/admin.ts';
import { createDatabase, databaseKinds, useDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { manageKeys } from '../support/manage-keys.ts';
import { call } from '../support/test-service.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const system = { type: 'system', id: null, name: 'system' };

/** The second denial in a row bans, for a second. */
const quickBans = {
  ADMIN_TOKEN: adminToken,
  BAN_GRACE_MS: '0',
  BAN_MIN_STRIKES: '1',
  BAN_STRIKE_PERCENT: '0',
  BAN_SECONDS: '1',
};

const timings = { audit: { writeMs: 20, endMs: 20 } };

/** The entries about a key, the oldest first. */
async function entriesOf(server: LocalServer, keyId: string): Promise<AuditEntry[]> {
  const { status, body } = await adminOf(server).call(`/audit?limit=100&keyId=${keyId}`);
  expect(status).toBe(200);
  return (body as AuditEntry[]).toReversed();
}

const actionsOf = async (server: LocalServer, keyId: string) =>
  (await entriesOf(server, keyId)).map(({ action }) => action);

const createKey = (server: LocalServer) =>
  adminOf(server).create(
    '{"plan":"enterprise","quota":{"perMinute":1,"perDay":1000},"name":"hasty","account":"C-17"}',
  );

/** Uses a key on several servers until one of them bans it. */
async function useUntilBanned(servers: readonly LocalServer[], token: string): Promise<void> {
  await until(async () => {
    const answers = await Promise.all(
      servers.map(({ baseUrl }) => call(`${baseUrl}/pets`, { token })),
    );
    return answers.some(
      ({ body }) => (body as { code?: string }).code === 'key_temporarily_banned',
    );
  });
}

/** Gets a new key banned, and waits for both entries. */
async function expectStartAndNaturalEnd(server: LocalServer): Promise<void> {
  const { key, token } = await createKey(server);
  await useUntilBanned([server], token);
  await until(async () => (await actionsOf(server, key.id)).includes('ban.ended'));
  const [, start, end, ...more] = await entriesOf(server, key.id);
  expect(more).toEqual([]);
  const about = {
    actor: system,
    subject: { type: 'key', id: key.id, name: 'hasty', account: 'C-17' },
    requestId: null,
    reason: null,
  };
  const bannedUntil = start?.after.bannedUntil ?? '';
  expect(start).toMatchObject({
    ...about,
    action: 'ban.started',
    before: { bannedUntil: null },
    after: { bannedUntil },
  });
  expect(Date.parse(bannedUntil) - Date.parse(start?.at ?? '')).toBe(1_000);
  expect(end).toMatchObject({
    ...about,
    action: 'ban.ended',
    at: bannedUntil,
    before: { bannedUntil },
    after: { bannedUntil: null },
  });
}

test('the start and the natural end of a ban are recorded, also of one that begins while the database is away', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const url = database.env['DATABASE_URL'] ?? '';
  const { hostname: host, port } = new URL(url);
  const proxy = stack.use(await openTcpProxy({ target: { host, port: Number(port) } }));
  const env = { ...quickBans, DATABASE_URL: proxy.via(url) };
  const server = stack.use(await openLocalServer(env, { timings }));
  await expectStartAndNaturalEnd(server);

  const { key, token } = await createKey(server);
  // The key is cached from now on.
  expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  await proxy.cut();
  await useUntilBanned([server], token);
  await proxy.resume();
  await until(async () => {
    const { status, body } = await adminOf(server).call(
      `/audit?keyId=${key.id}&action=ban.started`,
    );
    return status === 200 && (body as unknown[]).length === 1;
  });
});

describe('on several replicas with Redis', () => {
  const stack = new AsyncDisposableStack();
  let servers: readonly LocalServer[];

  beforeAll(async () => {
    const database = stack.use(await createDatabase('postgres'));
    const redis = stack.use(await openRedis());
    const env = { ...database.env, ...quickBans, REDIS_URL: redis.url, BAN_SECONDS: '3' };
    servers = await Promise.all([1, 2].map(() => openLocalServer(env, { timings })));
    for (const server of servers) stack.use(server);
  });
  afterAll(() => stack.disposeAsync());

  const first = () => servers[0] as LocalServer;

  test('a ban has one start and one end, whoever saw it', async () => {
    const { key, token } = await createKey(first());
    await useUntilBanned(servers, token);
    await until(async () => (await actionsOf(first(), key.id)).includes('ban.ended'));
    expect(await actionsOf(first(), key.id)).toEqual(['key.created', 'ban.started', 'ban.ended']);
  });

  test('an unban is the end of the ban: it has no other', async () => {
    // On a slow machine, a ban may end before the unban. Another key is tried then.
    const { key, start } = await until(async () => {
      const { key, token } = await createKey(first());
      await useUntilBanned(servers, token);
      await until(async () => (await actionsOf(first(), key.id)).includes('ban.started'));
      const path = `/keys/${key.id}/unban?reason=sorry`;
      const { status } = await adminOf(servers[1] as LocalServer).call(path, { method: 'POST' });
      expect(status).toBe(200);
      const [, start, ...later] = await entriesOf(first(), key.id);
      const [end] = later;
      return end?.action === 'key.unbanned' && end.before.bannedUntil && { key, start };
    });
    expect((await entriesOf(first(), key.id)).at(-1)).toMatchObject({
      action: 'key.unbanned',
      actor: { type: 'admin_token' },
      before: { bannedUntil: start?.after.bannedUntil },
      after: { bannedUntil: null },
      reason: 'sorry',
    });
    // A ban that began later has ended: so has been looked for the end of this one.
    const other = await createKey(first());
    await useUntilBanned(servers, other.token);
    await until(async () => (await actionsOf(first(), other.key.id)).includes('ban.ended'));
    expect(await actionsOf(first(), key.id)).toEqual([
      'key.created',
      'ban.started',
      'key.unbanned',
    ]);
  });
});

describe.each(databaseKinds)('in the database %s', (kind) => {
  const database = useDatabase(kind);

  async function actionsAbout(keyId: string) {
    const { items: entries } = await createAuditLog(database.db).list({ keyId }, 100, undefined);
    return entries.map(({ action }) => action).toReversed();
  }

  const banOf = (keyId: string, untilMs: number) => {
    const after = (ms: number) => new Date(Date.now() + ms).toISOString();
    return { keyId, startedAt: after(-60_000), until: after(untilMs) };
  };

  test('a start that is written again, even after the end, is recorded once', async () => {
    const bans = createBanLog(database.db);
    const ban = banOf(nobody, -1_000);
    await Promise.all([bans.start(ban), bans.start(ban)]);
    await Promise.all([bans.end(), bans.end()]);
    await bans.start(ban);
    await bans.end();
    expect(await actionsAbout(nobody)).toEqual(['ban.started', 'ban.ended']);
  });

  test('a ban that an unban ended before its start got here has no other end', async () => {
    const { db } = database;
    const keys = manageKeys(db);
    const { key } = await keys.create({ plan: 'free' }, someCause);
    const ban = banOf(key.id, -1_000);
    await keys.unban(key.id, someCause);
    await createBanLog(db).start(ban);
    await createBanLog(db).end();
    expect(await actionsAbout(key.id)).toEqual(['ban.started', 'key.created', 'key.unbanned']);
  });

  test('bans that were forgotten end at that time, and later ones go on', async () => {
    const bans = createBanLog(database.db);
    const keyId = crypto.randomUUID();
    const forgottenAt = new Date(Date.now() - 1_000).toISOString();
    await bans.start(banOf(keyId, 60_000));
    await bans.start({ ...banOf(keyId, 60_000), startedAt: forgottenAt });
    await bans.end(forgottenAt);
    const { items } = await createAuditLog(database.db).list({ keyId }, 100, undefined);
    const ends = items.filter(({ action }) => action === 'ban.ended');
    expect(ends.map(({ at }) => at)).toEqual([forgottenAt]);
  });

  test('an unban that fails is not recorded', async () => {
    const failure = new Error('not unbanned');
    const keys = manageKeys(database.db, { unban: () => Promise.reject(failure) });
    const { key } = await keys.create({ plan: 'free' }, someCause);
    await createBanLog(database.db).start(banOf(key.id, 60_000));
    await expect(keys.unban(key.id, someCause)).rejects.toThrow();
    expect(await actionsAbout(key.id)).toEqual(['ban.started', 'key.created']);
  });
});
