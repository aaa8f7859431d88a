import { type AuditEntry, adminErrorMessages } from '@animal-store/admin-contract';
import { followStatements } from '@animal-store/postgres/internal';
import { type Quotas, QuotasUnavailableError } from '@animal-store/quotas';
import { systemClock } from '@animal-store/runtime';
import { openRedis, openTcpProxy, until } from '@animal-store/testkit';
import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { createAuditLog } from '../../src/audit/audit-log.ts';
import { createBanLog, deleteEndedBans, deleteForgottenBans } from '../../src/bans/ban-log.ts';
import { openBanLog } from '../../src/bans/open-ban-log.ts';
import { accounts, openBans } from '../../src/schema/schema.ts';
import { adminOf, adminToken, someCause } from '../support/admin.ts';
import { createDatabase, useDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { manageKeys } from '../support/manage-keys.ts';
import { call } from '../support/test-service.ts';
import { banOf, createLogOfPastBans, writeBans } from '../support/write-bans.ts';

const system = { type: 'system', id: null, name: 'system' };

test('the audit log records a ban and its end only once, even if two replicas report them after a database outage', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const redis = stack.use(await openRedis());
  const proxy = stack.use(await openTcpProxy({ target: database.url }));
  const env = {
    // With these settings, the third denied request in a row leads to a ban.
    ...{ BAN_GRACE_MS: '0', BAN_MIN_STRIKES: '1', BAN_STRIKE_PERCENT: '0' },
    ...{ ADMIN_TOKEN: adminToken, REDIS_URL: redis.url, DATABASE_URL: proxy.url },
  };
  const servers: LocalServer[] = [];
  for (const _ of 'ab')
    servers.push(
      stack.use(await openLocalServer(env, { clock: systemClock, bans: { writeMs: 20 } })),
    );
  const admin = adminOf(servers[0] as LocalServer);
  const { key, token } = await admin.create(
    '{"plan":"enterprise","quota":{"perMinute":2,"perDay":1000},"name":"hasty","account":"C-17"}',
  );
  const codesOfCalls = async () => {
    const answers = servers.map(({ baseUrl }) => call(`${baseUrl}/pets`, { token }));
    return (await Promise.all(answers)).map(({ body }) => (body as { code?: string }).code);
  };
  // After these calls, both replicas have cached the API key.
  expect(await codesOfCalls()).toEqual([undefined, undefined]);
  await proxy.cut();
  await until(async () =>
    (await codesOfCalls()).every((code) => code === 'key_temporarily_banned'),
  );
  await proxy.resume();

  const read = () => admin.call(`/audit?keyId=${key.id}`);
  const entries = await until(async () => {
    const { status, body } = await read();
    return status === 200 && (body as AuditEntry[]).length > 1 && (body as AuditEntry[]);
  });
  const bannedUntil = new Date(Date.parse(entries[0]?.at ?? '') + 300_000).toISOString();
  expect(entries).toMatchObject([
    {
      ...{ action: 'ban.started', actor: system, requestId: null, reason: null },
      subject: { type: 'key', id: key.id, name: 'hasty', account: 'C-17' },
      before: { bannedUntil: null },
      after: { bannedUntil },
    },
    { action: 'key.created' },
  ]);
  await admin.call(`/keys/${key.id}/unban?reason=sorry`, { method: 'POST' });
  expect((await read()).body).toMatchObject([
    {
      ...{ action: 'key.unbanned', actor: { type: 'admin_token' }, reason: 'sorry' },
      before: { bannedUntil },
      after: { bannedUntil: null },
    },
    ...entries,
  ]);
});

const database = useDatabase('postgres');
const dayMs = 86_400_000;

async function actionsAbout(keyId: string) {
  const { items: entries } = await createAuditLog(database.db).list({ keyId }, 100, undefined);
  return entries.map(({ action }) => action).toReversed();
}

/** Returns the ends of an API key's active bans, in ascending order. */
async function openBansOf(keyId: string): Promise<string[]> {
  const rows = database.db.select().from(openBans).where(eq(openBans.keyId, keyId));
  return (await rows.orderBy(openBans.until)).map(({ until }) => new Date(until).toISOString());
}

function openLog() {
  const [onLost, onFailure] = [vi.fn(), vi.fn()];
  return { log: createLogOfPastBans(database.db, { onLost, onFailure }), onLost, onFailure };
}

// Regression: the wait for the database counted as a difference between the clocks, so the ban was
// stored with an end that was later by this wait.
test('a ban is stored with its own times if only the database responds late', async () => {
  const { db } = database;
  const waitMs = 60_000;
  const startedAtMs = Date.now() - waitMs;
  const at = (ms: number) => new Date(startedAtMs + ms).toISOString();
  let elapsedMs = 0;
  const fail = vi.fn();
  const clock = { elapsed: () => elapsedMs };
  const log = createBanLog(db, { clock, onLost: fail, onFailure: fail });
  const keyId = crypto.randomUUID();
  log.add({ keyId, startedAt: at(0), until: at(300_000), scope: 'service' });
  const unfollow = followStatements((name) => {
    if (name === 'read_clock') elapsedMs = waitMs;
  });
  await log.write();
  unfollow();
  expect(await openBansOf(keyId)).toEqual([at(300_000)]);
  expect(fail).not.toHaveBeenCalled();
});

test('the audit log contains a ban only once, even if the service writes the ban several times', async () => {
  const ban = banOf(crypto.randomUUID(), 1);
  await Promise.all([writeBans(database.db, ban, ban), writeBans(database.db, ban)]);
  expect(await actionsAbout(ban.keyId)).toEqual(['ban.started']);
  expect(await openBansOf(ban.keyId)).toEqual([ban.until]);
});

test('a ban is not stored as active if its unban was recorded before its start', async () => {
  const { db } = database;
  const keys = manageKeys(db);
  const { key } = await keys.create({ name: 'x', plan: 'free' }, someCause);
  await keys.unban(key.id, someCause);
  await writeBans(db, banOf(key.id, 1));
  expect(await actionsAbout(key.id)).toEqual(['ban.started', 'key.created', 'key.unbanned']);
  expect(await openBansOf(key.id)).toEqual([]);
  const later = { ...banOf(key.id, 2), startedAt: new Date(Date.now() + 1_000).toISOString() };
  await writeBans(db, later);
  expect(await openBansOf(key.id)).toEqual([later.until]);
});

// Regression: Postgres compares the times of a ban with its own clock. With the times of a clock that
// was a year ahead, the ban was listed for a year. With the times of a clock that was behind, the ban
// was not listed at all.
test.each([
  ['a year ahead of', 365 * dayMs],
  ['a minute ahead of', 60_000],
  ['a minute behind', -60_000],
  ['a year behind', -365 * dayMs],
])(
  'a ban of a clock that is %s the database is stored by the clock of the database',
  async (_, differenceMs) => {
    const { db } = database;
    const keyId = crypto.randomUUID();
    let elapsedMs = 0;
    const fail = vi.fn();
    const clock = { elapsed: () => elapsedMs };
    const log = createBanLog(db, { clock, onLost: fail, onFailure: fail });
    const before = Date.now();
    const at = (ms: number) => new Date(before + differenceMs + ms).toISOString();
    log.add({ keyId, startedAt: at(0), until: at(300_000), scope: 'replica' });
    // The database was unavailable for a minute.
    elapsedMs = 60_000;
    await log.write();
    const [until = ''] = await openBansOf(keyId);
    expect(Date.parse(until)).toBeGreaterThanOrEqual(before + 240_000);
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + 240_000);

    log.endReplicaBans();
    await log.write();
    expect(await openBansOf(keyId)).toEqual([]);
    expect(fail).not.toHaveBeenCalled();
  },
);

test('the audit log records neither an unban nor a reset of request counts (credit) that fails because Redis is unavailable', async () => {
  const refuse = () => Promise.reject(new QuotasUnavailableError('Redis does not answer.'));
  const keys = manageKeys(database.db, { unban: refuse, credit: refuse });
  const { key } = await keys.create({ name: 'x', plan: 'free' }, someCause);
  const ban = banOf(key.id, 1);
  await writeBans(database.db, ban);
  const kept = { code: 'service_unavailable', message: adminErrorMessages.notUnbanned };
  await expect(keys.unban(key.id, someCause)).rejects.toMatchObject(kept);
  const refused = { code: 'service_unavailable', message: adminErrorMessages.notCredited };
  await expect(keys.credit(key.id, someCause)).rejects.toMatchObject(refused);
  expect(await actionsAbout(key.id)).toEqual(['ban.started', 'key.created']);
  expect(await openBansOf(key.id)).toEqual([ban.until]);
});

test('the service moves the ban of an API key in Redis when the API key joins or leaves an account with a plan', async () => {
  const { db } = database;
  const moves: Parameters<Quotas['moveBan']>[] = [];
  const keys = manageKeys(db, { moveBan: async (...move) => moves.push(move) > 0 });
  const { key } = await keys.create({ name: 'x', plan: 'free' }, someCause);
  const account = { name: 'of a plan', plan: 'pro' } as const;
  const [stored] = await db.insert(accounts).values(account).returning({ id: accounts.id });
  for (const name of [account.name, 'a label', 'another', account.name])
    await keys.change(key.id, { account: name }, someCause);
  const [alone, inAccount] = [{ id: key.id }, { id: key.id, accountId: stored?.id }];
  // Each change moves the ban twice: before the commit, and after this replica has received the
  // message about the change. The second move also looks for a ban under the ids of accounts that
  // have no plan now, because these accounts may have had a plan. The test ignores those ids.
  const found = moves.filter(([{ accountId }]) => [undefined, stored?.id].includes(accountId));
  expect(found).toEqual([
    ...Array(2).fill([alone, inAccount]),
    ...Array(2).fill([inAccount, alone]),
    ...Array(2).fill([alone, inAccount]),
  ]);
});

test('deleteEndedBans deletes bans that have ended, and bans that a stopped process kept in memory', async () => {
  const keyId = crypto.randomUUID();
  const [earlier, later, over] = [banOf(keyId, 20), banOf(keyId, 10), banOf(keyId, -1)];
  await writeBans(database.db, earlier, later, { ...over, startedAt: later.startedAt });
  await deleteEndedBans(database.db, undefined);
  expect(await openBansOf(keyId)).toEqual([later.until, earlier.until]);
  await deleteEndedBans(database.db, later.startedAt);
  expect(await openBansOf(keyId)).toEqual([later.until]);
});

// Regression: after the clock of the database was set back by a year, a ban was listed for a year.
test('deleteEndedBans deletes bans that start in the future, because the clock was set back', async () => {
  const keyId = crypto.randomUUID();
  const [ban, ahead] = [banOf(keyId, 1), banOf(keyId, -5)];
  const until = new Date(Date.now() + 365 * dayMs).toISOString();
  await writeBans(database.db, ban, { ...ahead, until });
  await deleteEndedBans(database.db, undefined);
  expect(await openBansOf(keyId)).toEqual([ban.until]);
});

// Regression: the process compared the starts of the bans with its own clock.
test('a process that keeps bans in memory deletes the bans of the previous process, but not its own, even if its clock is wrong', async () => {
  const { db } = database;
  const options = { background: db, forgetsBans: true, onLost() {}, report: vi.fn() };
  for (const differenceMs of [365 * dayMs, -365 * dayMs]) {
    const keyId = crypto.randomUUID();
    await writeBans(db, banOf(keyId, 5));
    let openForMs = 0;
    const elapsed = () => systemClock.elapsed() + openForMs;
    const clock = { ...systemClock, elapsed, now: () => Date.now() + differenceMs };
    const bans = openBanLog({ ...options, clock });
    // The process started between the two bans. The distances are longer than a slow response of
    // the database.
    openForMs = 60_000;
    await bans.deleteEnded();
    expect(await openBansOf(keyId)).toEqual([]);
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    bans.recordBan({ keyId, startedAt: at(0), until: at(300_000), scope: 'service' });
    await bans.close();
    await bans.deleteEnded();
    expect(await openBansOf(keyId)).toHaveLength(1);
  }
  expect(options.report).not.toHaveBeenCalled();
});

// Regression: a second replica of the service looked for the ban in Redis. Redis did not know the
// ban, so the second replica deleted the ban from the table of active bans.
test('a ban that one replica imposed without Redis stays stored as active until that replica ends the ban', async () => {
  const { db } = database;
  const [own, other] = [banOf(crypto.randomUUID(), 1), banOf(crypto.randomUUID(), 2)];
  const { log } = openLog();
  log.add({ ...own, scope: 'replica' });
  log.add(other);
  await log.write();
  expect(await deleteForgottenBans(db, own.keyId, own.until)).toEqual([]);
  expect(await deleteForgottenBans(db, other.keyId, other.until)).toHaveLength(1);
  expect([await openBansOf(own.keyId), await openBansOf(other.keyId)]).toEqual([[own.until], []]);
  log.endReplicaBans();
  await log.write();
  expect(await openBansOf(own.keyId)).toEqual([]);
  const options = {
    background: db,
    clock: systemClock,
    forgetsBans: false,
  };
  const bans = openBanLog({ ...options, onLost() {}, report() {} });
  bans.recordBan({ ...own, scope: 'replica', startedAt: other.startedAt });
  await bans.close();
  expect(await openBansOf(own.keyId)).toEqual([]);
  expect(await actionsAbout(own.keyId)).toEqual(['ban.started', 'ban.started']);
});

test('the ban log reports each ban that it cannot write exactly once, as lost', async () => {
  const { log, onLost, onFailure } = openLog();
  const ban = banOf(crypto.randomUUID(), 1);
  log.add({ ...ban, until: 'nonsense' });
  log.add(ban);
  await log.write();
  expect(onFailure).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
  for (let n = 0; n < 10_003; n += 1) log.add({ ...ban, startedAt: ban.until });
  log.giveUp();
  log.giveUp();
  await log.write();
  // `onLost` is called once for the ban that the database refused. It is called once for each of
  // three bans for which the queue of ten thousand had no room, and once for all bans in the queue.
  expect(onLost.mock.calls.flat()).toEqual([1, 1, 1, 1, 10_000]);
  expect(onFailure).toHaveBeenCalledOnce();
  expect(await actionsAbout(ban.keyId)).toEqual(['ban.started']);
});
