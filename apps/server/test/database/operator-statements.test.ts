import { getEventListeners } from 'node:events';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { OpenDatabase } from '@animal-store/postgres';
import {
  createDatabaseCheck,
  runUntilAbandoned,
  StatementTooSlowError,
  statement,
} from '@animal-store/postgres';
import { openPostgres } from '@animal-store/postgres/open-postgres';
import { until } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { createDatabase, patientDatabase, type TestDatabase } from '../support/databases.ts';

// SQL statements of the admin API have their own connections and timeouts. The documentation of
// `OpenDatabase.operators` describes them.
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('postgres');
  return () => database[Symbol.asyncDispose]();
});

const wait = statement('wait', (db, seconds: number) =>
  db.execute(sql`select pg_sleep(${seconds})`),
);
const ask = statement('ask', (db) => db.execute(sql`select 1 as one`));

const open = (operatorSeconds: number, cancelAfterMs = 0) =>
  openPostgres(database.url, { ...patientDatabase, operatorSeconds, cancelAfterMs });

// Counts the statements that sleep. A statement that Postgres has only parsed is active, too, but
// Postgres ignores a cancel request until the driver has sent the next part of the statement.
const running = async ({ db }: OpenDatabase) =>
  db.$count(sql`pg_stat_activity`, sql`datname = current_database() and wait_event = 'PgSleep'`);

test('statements of the public API still run when statements of the admin API use all connections of the admin API', async () => {
  const opened = open(600);
  const abandoned = new AbortController();
  const waiting = runUntilAbandoned(abandoned.signal, () =>
    Array.from({ length: 8 }, () => wait(opened.operators, 600)),
  );
  const ended = Promise.allSettled(waiting);
  await until(async () => (await running(opened)) === 2);
  for (const db of [opened.db, opened.reads, opened.background]) {
    expect(await ask(db)).toMatchObject([{ one: 1 }]);
  }
  abandoned.abort();
  await ended;
  await opened.close();
});

test('Postgres cancels the statement of an admin request when the client aborts the request', async () => {
  const opened = open(600);
  const abandoned = new AbortController();
  const waiting = runUntilAbandoned(abandoned.signal, () =>
    wait(opened.operators, 600).catch((error) => error),
  );
  await until(async () => (await running(opened)) === 1);
  abandoned.abort();
  expect(await waiting).toBeInstanceOf(StatementTooSlowError);
  await until(async () => (await running(opened)) === 0);
  expect(await ask(opened.operators)).toMatchObject([{ one: 1 }]);
  await opened.close();
});

// Regression: when a client aborted a request, the service also canceled statements of this request
// that had already ended. Postgres then canceled the statements that other operators had started in
// the same sessions.
test('after a statement of an admin request has ended or failed, no abort listener is left', async () => {
  const opened = open(600);
  const { signal } = new AbortController();
  expect(await runUntilAbandoned(signal, () => ask(opened.operators))).toHaveLength(1);
  const failing = statement('fail', (db) => db.execute(sql`select 1 / 0`));
  await expect(runUntilAbandoned(signal, () => failing(opened.operators))).rejects.toThrow();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await opened.close();
});

// Regression: the driver sent a statement on a connection on which another statement was still
// running. If the request of the waiting statement failed, Postgres still ran this statement. The
// next statement then got the result of the failed one.
test('waiting statements of an aborted admin request never run, and later statements get their own results', async () => {
  const opened = open(600);
  const { db, operators } = opened;
  await db.execute(sql`create sequence runs`);
  // These two statements open both connections of the pool. The driver also learns the parameter
  // types of the statement from them. It sends a statement on a busy connection only if it already
  // knows the types, and this test needs statements that wait on a busy connection.
  await Promise.all([ask(operators), ask(operators)]);
  const occupy = statement('occupy', (on) => on.execute(sql`select pg_sleep(600)`));
  const slow = new AbortController();
  const occupying = runUntilAbandoned(slow.signal, () =>
    Promise.allSettled([occupy(operators), occupy(operators)]),
  );
  await until(async () => (await running(opened)) === 2);

  const count = statement('count_run', (on) => on.execute(sql`select nextval('runs') as one`));
  const failed = new AbortController();
  const abandoned = runUntilAbandoned(failed.signal, () =>
    Promise.allSettled(Array.from({ length: 4 }, () => count(operators))),
  );
  const later = Promise.all(Array.from({ length: 4 }, () => ask(operators)));
  // The driver decides for each statement whether to send it immediately or to let it wait. When
  // this query has ended, the driver has decided for all statements above, so the requests can be
  // aborted.
  await ask(db);
  failed.abort();
  slow.abort();
  for (const { status } of await abandoned) expect(status).toBe('rejected');
  expect(await later).toMatchObject(Array(4).fill([{ one: 1 }]));
  expect(await db.execute(sql`select is_called from runs`)).toMatchObject([{ is_called: false }]);
  await occupying;
  await opened.close();
});

// Regression: a report consists of several statements. After an operator had disconnected, the
// service still sent the next statement of the report, which delayed other operators.
test.each(['embedded', 'postgres'] as const)(
  'a statement that begins after its admin request was aborted is not sent to the database (%s)',
  async (kind) => {
    await using own = await createDatabase(kind);
    const opened = await own.open();
    await opened.db.execute(sql`create sequence sent`);
    const next = statement('next', (db) => db.execute(sql`select nextval('sent')`));
    const abandoned = new AbortController();
    const aborted = runUntilAbandoned(abandoned.signal, async () => {
      abandoned.abort();
      return next(opened.operators);
    });
    await expect(aborted).rejects.toBeInstanceOf(StatementTooSlowError);
    const isCalled = sql<boolean>`is_called`;
    expect(await opened.db.select({ isCalled }).from(sql`sent`)).toEqual([{ isCalled: false }]);
    await opened.close();
  },
);

// Regression: health checks share one check of the database with the overview of operators. An
// operator who disconnected could make the health checks fail.
test('the check of the database is carried out even if the client has aborted the admin request that started the check', async () => {
  await using own = await createDatabase('postgres');
  const opened = await own.open();
  const findDatabaseFault = createDatabaseCheck(opened, migrationOptions.migrationsFolder);
  expect(await runUntilAbandoned(AbortSignal.abort(), findDatabaseFault)).toBeUndefined();
  await opened.close();
});

// Regression: a cancel request that arrived late canceled the next statement in the same session.
// The operator who had sent this statement got 503.
test('a statement that ends soon after its admin request was aborted is not canceled', async () => {
  const opened = open(600, 600_000);
  const aborted = new AbortController();
  const abandoned = runUntilAbandoned(aborted.signal, () => wait(opened.operators, 0.01));
  aborted.abort();
  expect(await abandoned).toHaveLength(1);
  expect(getEventListeners(aborted.signal, 'abort')).toEqual([]);
  await opened.close();
});

// Regression: if a statement was canceled while its connection was opening, the driver never used
// the connection again. After two such statements, all statements of operators failed for up to an
// hour.
test('the service uses a database connection for later admin requests even if its first request was aborted before the connection was open', async () => {
  const opened = open(600);
  await ask(opened.db);
  const aborted = new AbortController();
  const canceled = runUntilAbandoned(aborted.signal, () =>
    Promise.allSettled([ask(opened.operators), ask(opened.operators)]),
  );
  // The driver has begun to open both connections, but no response of Postgres has arrived.
  await nextIteration();
  const later = ask(opened.operators);
  aborted.abort();
  for (const { status } of await canceled) expect(status).toBe('rejected');
  expect(await later).toMatchObject([{ one: 1 }]);
  expect(await Promise.all([ask(opened.operators), ask(opened.operators)])).toHaveLength(2);
  await opened.close();
});

test('the service does not treat a timed-out SQL statement of the admin API as a database outage', async () => {
  const opened = open(0.05);
  const slow = await wait(opened.operators, 600).catch((error) => error);
  expect(slow).toBeInstanceOf(StatementTooSlowError);
  expect(slow).toMatchObject({ code: '57014', attempts: 'operators 57014' });
  expect(await wait(opened.db, 0.1)).toHaveLength(1);
  await opened.close();
});
