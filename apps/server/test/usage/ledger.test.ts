import { randomUUID } from 'node:crypto';
import type { UsageBucket } from '@animal-store/admin-contract';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import { planCode } from '../../src/usage/usage-entry.ts';
import { createUsageQueries } from '../../src/usage/usage-queries.ts';
import { deleteExpiredUsage } from '../../src/usage/usage-retention.ts';
import { lastUsed, written } from '../../src/usage/usage-tables.ts';
import { databaseKinds, useDatabase } from '../support/databases.ts';
import { entryOf, sumOf, writeUsage } from '../support/write-usage.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
const buckets = ['minute', 'hour', 'day'] as const;
const now = Date.now();
/** The id under which the usage tables count all requests without an API key. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** Returns a time range around a time. By default, the range is ten thousand days long. */
const rangeAround = (at: number, days = 5_000) => ({
  from: new Date(at - days * dayMs).toISOString(),
  to: new Date(at + days * dayMs).toISOString(),
});
const wholeRange = rangeAround(now);

describe.each(databaseKinds)('usage ledger (stored request counts), database %s', (kind) => {
  const database = useDatabase(kind);
  const db = () => database.db;
  const ledger = () => createUsageQueries(db());

  const read = async (keyId: string, bucket: UsageBucket, range = wholeRange) =>
    sumOf(await ledger().read(bucket, { keyId }, range));
  const readAll = (keyId: string) => Promise.all(buckets.map((bucket) => read(keyId, bucket)));

  test('the usage ledger counts a batch of requests once, even if several connections write the batch several times', async () => {
    const keyId = randomUUID();
    const flush = { replica: randomUUID(), sequence: 7 };
    const write = () => writeUsage(db(), [entryOf(keyId, now, { requests: 3 })], flush);
    await Promise.all([write(), write(), write()]);
    await write();
    expect(await readAll(keyId)).toEqual([3, 3, 3]);
    await writeUsage(db(), [entryOf(keyId, now)], { ...flush, sequence: 8 });
    await writeUsage(db(), [entryOf(keyId, now)], { ...flush, replica: randomUUID() });
    expect(await readAll(keyId)).toEqual([5, 5, 5]);
  });

  test('the usage ledger adds up the request counts of many API keys, even if several replicas write them in different orders', async () => {
    const keyIds = Array.from({ length: 30 }, () => randomUUID());
    const entries = keyIds.map((id) => entryOf(id, now, { plan: planCode('business') }));
    const orders = [entries, entries.toReversed(), entries];
    await Promise.all(orders.map((order) => writeUsage(db(), order)));
    expect(await readAll(keyIds[29] ?? '')).toEqual([3, 3, 3]);
    expect(sumOf(await ledger().read('day', { plan: 'business' }, wholeRange))).toBe(90);
  });

  test('the usage ledger counts each request in its minute, hour and day, by operation and outcome', async () => {
    const keyId = randomUUID();
    const day = Date.UTC(2026, 9, 5);
    const end = day + dayMs - 1;
    await writeUsage(db(), [
      entryOf(keyId, day),
      entryOf(keyId, end, { operation: 'getPet', outcome: 'denied', requests: 4 }),
    ]);
    const range = rangeAround(day + dayMs / 2, 0.5);
    for (const [bucket, ms] of [
      ['minute', 60_000],
      ['hour', hourMs],
      ['day', dayMs],
    ] as const) {
      const at = (time: number) => new Date(time - (time % ms)).toISOString();
      expect(await ledger().read(bucket, { keyId }, range)).toEqual([
        { at: at(day), operation: 'listPets', outcome: 'ok', requests: 1 },
        { at: at(end), operation: 'getPet', outcome: 'denied', requests: 4 },
      ]);
    }
    expect(await read(keyId, 'day', rangeAround(day - dayMs, 1))).toBe(0);
    expect(await read(keyId, 'minute', rangeAround(day + 1.5 * dayMs, 0.5))).toBe(0);
  });

  // Regression: after one request at a wrong time, the last use of the API key was wrong for a year.
  test('the usage ledger counts a request in the current minute if its time is in the future', async () => {
    const { id: keyId } = await createApiKey(db(), { name: 'ahead', plan: 'free' });
    const before = Date.now();
    await writeUsage(db(), [
      entryOf(keyId, now + 365 * dayMs, { operation: 'getPet' }),
      entryOf(keyId, now + 365 * dayMs, { outcome: 'refused' }),
    ]);
    const minuteOf = (at: number) => Math.floor(at / 60_000) * 60_000;
    const rows = await ledger().read('minute', { keyId }, wholeRange);
    expect(sumOf(rows)).toBe(2);
    const [used] = await db().select().from(lastUsed).where(eq(lastUsed.keyId, keyId));
    const times = [used?.at, used?.deprecatedAt, used?.refusedAt, ...rows.map(({ at }) => at)];
    for (const at of times.map((time) => Date.parse(time ?? ''))) {
      expect(at).toBeGreaterThanOrEqual(minuteOf(before));
      expect(at).toBeLessThanOrEqual(Date.now());
    }
  });

  test('the usage ledger replaces the last use of an API key if that time is in the future', async () => {
    const { id: keyId } = await createApiKey(db(), { name: 'set back', plan: 'free' });
    const ahead = new Date(now + 365 * dayMs).toISOString();
    await db()
      .update(lastUsed)
      .set({ at: ahead, refusedAt: ahead })
      .where(eq(lastUsed.keyId, keyId));
    await writeUsage(db(), [entryOf(keyId, now)]);
    const [used] = await db().select().from(lastUsed).where(eq(lastUsed.keyId, keyId));
    expect([used?.at, used?.deprecatedAt, used?.refusedAt]).toEqual([
      new Date(now).toISOString(),
      null,
      ahead,
    ]);
  });

  test('the usage ledger returns the usage of API keys, plans and accounts, and the API keys with the most requests', async () => {
    const day = Date.UTC(2025, 4, 5);
    const range = rangeAround(day, 1);
    const createKey = async (name: string, account: string) =>
      (await createApiKey(db(), { name, plan: 'free', account })).id;
    const [acme, shop, label] = ['acme', 'shop', 'label'];
    const [a, b] = [await createKey('a', acme), await createKey('b', acme)];
    const c = await createKey('c', shop);
    await db().execute(sql`update accounts set plan = 'pro' where name = ${shop}`);
    await writeUsage(db(), [
      entryOf(a, day, { requests: 5 }),
      entryOf(a, day - dayMs),
      entryOf(b, day, { plan: planCode('enterprise'), requests: 7 }),
      entryOf(c, day, { plan: planCode('pro'), requests: 2 }),
      entryOf(c, day, { plan: planCode('pro'), outcome: 'denied' }),
      entryOf(nobody, day, { plan: 0, requests: 30 }),
    ]);
    const sum = async (filter: object) => sumOf(await ledger().read('day', filter, range));
    // The usage of a plan contains the requests that API keys sent while they had this plan. A
    // query with an account and a plan selects the keys of the account that have the plan now, and
    // returns all of their requests.
    const [free, pro] = [{ plan: 'free' }, { plan: 'pro' }];
    const ofAll = [{}, free, { plan: 'enterprise' }];
    const ofAccounts = [{ account: acme }, { account: label }, { account: acme, ...free }];
    const ofShop = [pro, free].map((plan) => ({ account: shop, ...plan }));
    const sums = await Promise.all([...ofAll, ...ofAccounts, ...ofShop].map(sum));
    expect(sums).toEqual([46, 6, 7, 13, 0, 13, 3, 0]);
    const sumOfAccount = await ledger().sumOfAccounts([acme, shop, label], range);
    expect([acme, shop, label].map(sumOfAccount)).toEqual([
      { requestsToday: 13, deniedToday: 0 },
      { requestsToday: 3, deniedToday: 1 },
      { requestsToday: 0, deniedToday: 0 },
    ]);

    const busiest = (filter: object, limit = 9) => ledger().listBusiest(filter, range, limit);
    expect(await busiest({}, 2)).toEqual([
      { keyId: b, name: 'b', account: acme, plan: 'free', requests: 7 },
      { keyId: a, name: 'a', account: acme, plan: 'free', requests: 6 },
    ]);
    expect(await busiest({ account: shop, plan: 'pro' })).toMatchObject([{ keyId: c }]);
    const { rows: byDay } = await ledger().readBusiest({ account: acme }, range, 9);
    expect(byDay.map(({ keyId, requests }) => [keyId, requests])).toEqual([
      [b, 7],
      [a, 1],
      [a, 5],
    ]);
    const none = { keys: [], rows: [] };
    expect(await ledger().readBusiest({ account: label }, range, 9)).toEqual(none);
  });

  test('the usage ledger returns the recent requests of each API key, and its calls of deprecated operations', async () => {
    const [keyId, unused] = [randomUUID(), randomUUID()];
    const at = Date.UTC(2026, 5, 5, 12, 30);
    const entry = (msAgo: number, operation: 'getPet' | 'listPets', requests: number) =>
      entryOf(keyId, at - msAgo, { operation, requests });
    await writeUsage(db(), [
      entry(0, 'listPets', 1),
      entry(23 * hourMs, 'getPet', 2),
      entry(24 * hourMs, 'getPet', 4),
      entry(29 * dayMs, 'getPet', 8),
      entry(30 * dayMs, 'getPet', 16),
      entryOf(keyId, at - 2 * dayMs, { operation: 'getPet', outcome: 'refused' }),
    ]);
    const byHour = new Array<number>(24).fill(0);
    const today = { requestsToday: 1, deniedToday: 0 };
    expect(await ledger().addRecent([{ id: keyId }, { id: unused }], at)).toEqual([
      {
        id: keyId,
        recent: { byHour: [2, ...byHour.slice(2), 1], ...today, deprecatedCalls: 14 },
      },
      { id: unused, recent: { byHour, requestsToday: 0, deniedToday: 0, deprecatedCalls: 0 } },
    ]);
    expect(await ledger().addRecent([], at)).toEqual([]);
  });

  test('the usage ledger records, to the minute, when an API key was last used, was last refused, and last called a deprecated operation', async () => {
    const { id } = await createApiKey(db(), { plan: 'free', name: 'noted' });
    const { at, deprecatedAt, refusedAt } = lastUsed;
    const timesOf = async () => {
      const times = db().select({ at, deprecatedAt, refusedAt }).from(lastUsed);
      const [row] = await times.where(eq(lastUsed.keyId, id));
      return Object.values(row ?? {}).map((time) => time && Date.parse(time));
    };
    expect(await timesOf()).toEqual([null, null, null]);
    const minute = Date.UTC(2026, 5, 5, 12, 30);
    const [first, next, later] = [minute + 20_000, minute + 70_000, minute + 150_000];
    const getPet = { operation: 'getPet' } as const;
    const refused = { outcome: 'refused' } as const;
    for (const [usedAt, more, times] of [
      [first, {}, [first, null, null]],
      [minute + 50_000, {}, [first, null, null]],
      [next, {}, [next, null, null]],
      [minute - 70_000, getPet, [next, minute - 70_000, null]],
      [first, { ...getPet, ...refused }, [next, minute - 70_000, first]],
      [minute + 50_000, refused, [next, minute - 70_000, first]],
      [later, refused, [next, minute - 70_000, later]],
      [first, getPet, [next, first, later]],
    ] as const) {
      await writeUsage(db(), [entryOf(id, usedAt, more)]);
      expect(await timesOf()).toEqual(times);
    }
  });

  test('readTraffic returns the outcomes and latencies of requests that replicas have written to the usage ledger in the last minute', async () => {
    const replica = randomUUID();
    const traffic = { replica, outcomes: [3, 1], latencies: [4] };
    await writeUsage(db(), [], { ...traffic, sequence: 1 }, 30_000);
    await writeUsage(db(), [], { ...traffic, sequence: 2 }, 61_000);
    const found = await ledger().readTraffic();
    // Only the counts that this test has written are compared. Counts of other tests may become too
    // old during the test.
    expect(found.filter((flush) => flush.replica === replica)).toEqual([traffic]);
  });

  test('the usage ledger deletes only rows whose retention period has ended', async () => {
    const keyId = randomUUID();
    for (const age of [0, 2, 40, 500]) await writeUsage(db(), [entryOf(keyId, now - age * dayMs)]);
    const flush = { replica: randomUUID(), sequence: 1 };
    await writeUsage(db(), [entryOf(keyId, now)], flush, 1.5 * dayMs);
    const kept = { minutes: dayMs, hours: 30 * dayMs, days: 400 * dayMs, flushes: dayMs };
    expect(await deleteExpiredUsage(db(), kept)).toBe(false);
    expect(await readAll(keyId)).toEqual([2, 3, 4]);
    const countWritten = () => db().$count(written, eq(written.replica, flush.replica));
    expect(await countWritten()).toBe(0);
    await writeUsage(db(), [], flush, 0.5 * dayMs);
    await deleteExpiredUsage(db(), kept);
    expect(await countWritten()).toBe(1);
  });
});

// The rows were written by replicas of the previous version, which may still be running.
describe('usage ledger (stored request counts)', () => {
  const database = useDatabase('postgres');

  test('the usage ledger includes usage that the previous version has written, and deletes it after its retention period', async () => {
    const { db } = database;
    const ledger = createUsageQueries(db);
    const keyId = randomUUID();
    const at = now - (now % dayMs) - dayMs + 12 * hourMs;
    const time = new Date(at).toISOString();
    const tables = { minutes: 60_000, hours: hourMs, days: dayMs };
    const total = '00000000-0000-0000-0000-000000000001';
    for (const table of ['flushes', ...Object.keys(tables)]) {
      await db.execute(`create table usage.${table}_rest partition of usage.${table} default`);
    }
    for (const [table, ms] of Object.entries(tables)) {
      const start = new Date(at - (at % ms)).toISOString();
      for (const id of [keyId, total]) {
        await db.execute(`insert into usage.${table} (key_id, at, operation, outcome, requests)
          values ('${id}', '${start}', 1, 0, 10)`);
      }
    }
    for (const [plan, id] of [nobody, keyId].entries()) {
      await db.execute(sql`insert into usage.flushes (replica, sequence, flushed_at, entries, key_ids, plans,
          minutes, operations, outcomes, requests)
        values (${randomUUID()}, 1, ${time}, 1, array[${id}::uuid], array[${plan}::smallint],
          array[${at / 60_000}::integer], array[1::smallint], array[0::smallint], array[5])`);
    }
    await writeUsage(db, [entryOf(keyId, at)]);
    const sums = (subject: object) =>
      Promise.all(
        buckets.map(async (bucket) => sumOf(await ledger.read(bucket, subject, wholeRange))),
      );
    expect(await sums({ keyId })).toEqual([16, 16, 16]);
    expect(await sums({ plan: 'free' })).toEqual([16, 16, 16]);
    expect(await sums({})).toEqual([21, 21, 21]);

    await db.execute(sql`update usage.flushes set rolled_up_at = now() - interval '2 days'`);
    expect(await sums({ keyId })).toEqual([11, 11, 11]);
    const kept = { minutes: hourMs, hours: 40 * hourMs, days: 400 * dayMs, flushes: dayMs };
    await deleteExpiredUsage(db, kept);
    expect(await sums({ keyId })).toEqual([0, 11, 11]);
    expect(await db.$count(sql`usage.flushes`)).toBe(0);
  });
});
