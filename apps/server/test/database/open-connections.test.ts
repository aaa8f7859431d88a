import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { openPostgres } from '@animal-store/postgres/open-postgres';
import { until } from '@animal-store/testkit';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { createDatabase, patientDatabase } from '../support/databases.ts';

const findSession = statement('find_session', async (db: Database) => {
  const [row] = (await db.execute(sql`select pg_backend_pid() as pid`)) as unknown as [
    { pid: number },
  ];
  return row.pid;
});

// Regression: the connection for lists was closed after 5 s without requests. The next list failed
// if the host name of the database could not be resolved at that moment, although `/readyz`
// returned 200.
test('the connection pools for requests of the public API each keep one connection open while no requests arrive', async () => {
  await using database = await createDatabase('postgres');
  const limits = { ...patientDatabase, idleSeconds: 1, keepOpenMs: 100 };
  const opened = openPostgres(database.url, { ...limits, ...migrationOptions });
  const sessions = async () =>
    (await database.db.execute(
      sql`select pid from pg_stat_activity where datname = current_database()`,
    )) as unknown as { pid: number }[];
  const [requests, reads, operators] = await Promise.all(
    [opened.db, opened.reads, opened.operators].map((db) => findSession(db)),
  );
  // The pool for the admin API closes its idle connection after one second. The connections of the
  // two other pools have then been idle for the same time, and must still be open.
  await until(async () => (await sessions()).every(({ pid }) => pid !== operators));
  expect(await sessions()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ pid: requests }),
      expect.objectContaining({ pid: reads }),
    ]),
  );
  expect(await findSession(opened.reads)).toBe(reads);
  await opened.close();
});

// Regression: the process did not end, because a timer of the connections was never stopped.
test('openPostgres fails without leaving a timer behind if the file of sslrootcert cannot be read', () => {
  const url = 'postgres://user:secret@localhost/name?sslmode=verify-full&sslrootcert=/missing.pem';
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  expect(() => openPostgres(url, { ...patientDatabase, ...migrationOptions })).toThrow(
    'DATABASE_URL: sslrootcert: cannot read /missing.pem (ENOENT). Check the path and its permissions.',
  );
  expect(timers()).toBe(before);
});
