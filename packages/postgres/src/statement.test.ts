import { tracingChannel } from 'node:diagnostics_channel';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from './database.ts';
import { DatabaseUnavailableError } from './database-error.ts';
import { faultOf } from './database-fault.ts';
import {
  inTransaction,
  limitStatements,
  preparedStatement,
  Rollback,
  statement,
} from './statement.ts';

/**
 * A database that is never queried, because each statement of these tests contains its own result.
 */
const db = {
  transaction: (work: (tx: Database) => Promise<unknown>) => work(db),
} as unknown as Database;

const runQuery = statement('a_test', (_db, query: PromiseLike<unknown>) => query);

const failed = (code: string) => Object.assign(new Error('parameters: hunter2'), { code });

const unavailable = [
  // The error codes of the first list are SQLSTATEs. The codes of the second list come from
  // postgres.js and Node.
  ...['08P01', '53100', '53300', '57014', '57P01', '57P03', '55P03'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAI_AGAIN'],
].map((code) => [code, 'DatabaseUnavailableError']);
const refused = ['23505', '42P01', 'XX000', '40P01', 'UNDEFINED_VALUE'].map((code) => [
  code,
  'DatabaseError',
]);

test.each([...unavailable, ...refused])(
  'a failed statement with the code %s rejects with a %s, without the SQL and its parameters',
  async (code = '', name) => {
    // drizzle wraps the errors of the driver in its own errors. So each error is tested with and
    // without such a wrapper.
    const wrapped = new Error('Failed query: select hunter2', { cause: failed(code) });
    for (const error of [failed(code), wrapped]) {
      const translated = await runQuery(db, Promise.reject(error)).catch((it: Error) => it);
      const message = `The database refused a statement (${code}).`;
      expect(translated).toMatchObject({ name, code, message });
      expect(translated).not.toHaveProperty('cause');
      expect((translated as Error).stack).not.toContain('hunter2');
    }
  },
);

// Regression: each call got a 500 while the owner of the database allowed no connections.
test.each(['55000', '42501', '42704'])(
  'a failed statement with the code %s is reported as an outage only if Postgres refused the connection',
  async (code) => {
    const translate = (severity: string) =>
      runQuery(db, Promise.reject(Object.assign(failed(code), { severity }))).catch((it) => it);
    expect(await translate('ERROR')).toMatchObject({ name: 'DatabaseError', code });
    expect(await translate('FATAL')).toMatchObject({
      name: 'DatabaseUnavailableError',
      code: `FATAL_${code}`,
    });
  },
);

// Regression: the reason was that the connection was lost. PgBouncer uses the code 08P01 for nearly
// all errors.
test.each(['no more connections allowed (max_client_conn)', 'query_wait_timeout'])(
  'a statement that PgBouncer refuses with the message %j fails because no connection is left',
  async (message) => {
    const refusal = Object.assign(new Error(message), { code: '08P01' });
    const error = await runQuery(db, Promise.reject(refusal)).catch((it: unknown) => it);
    expect(error).toMatchObject({ name: 'DatabaseUnavailableError', code: '53300' });
    expect(faultOf('53300').reason).toBe('The database has no connection left.');
  },
);

test('inTransaction rejects with the error of the failed statement', async () => {
  const work = (tx: Database) => runQuery(tx, Promise.reject(failed('57P01')));
  await expect(inTransaction('a_transaction', db, work)).rejects.toMatchObject({
    name: 'DatabaseUnavailableError',
    code: '57P01',
  });
});

test.each(['40001', '40P01'])(
  'inTransaction runs a transaction that fails with %s at most three times',
  async (code) => {
    let runs = 0;
    const failUntil = (last: number) => async () => {
      runs += 1;
      if (runs < last) throw failed(code);
      return 'done';
    };
    expect(await inTransaction('a_transaction', db, failUntil(3))).toBe('done');
    expect(runs).toBe(3);
    runs = 0;
    await expect(inTransaction('a_transaction', db, failUntil(4))).rejects.toMatchObject({ code });
    expect(runs).toBe(3);
  },
);

test('inTransaction does not retry a transaction that fails with an error other than a conflict', async () => {
  const work = vi.fn(() => Promise.reject(failed('23505')));
  await expect(inTransaction('a_transaction', db, work)).rejects.toMatchObject({ code: '23505' });
  expect(work).toHaveBeenCalledTimes(1);
});

test('inTransaction rejects with the Rollback error that the given function throws, and does not report this error as a failure', async () => {
  const failures: unknown[] = [];
  const { error } = tracingChannel('animal-store:statement');
  const record = (message: unknown) => failures.push(message);
  error.subscribe(record);
  onTestFinished(() => void error.unsubscribe(record));
  const rollback = new Rollback('refused');
  const work = () => Promise.reject(rollback);
  await expect(inTransaction('a_transaction', db, work)).rejects.toBe(rollback);
  expect(failures).toEqual([]);
});

test('a statement that gets no response fails when its timeout has passed, and no timer keeps running', async () => {
  const clock = createTestClock();
  const limited = {} as Database;
  limitStatements(limited, 6_000, { clock });
  await runQuery(limited, Promise.resolve());
  expect(clock.timerCount()).toBe(0);
  const waiting = runQuery(limited, new Promise(() => {})).catch((error: unknown) => error);
  await clock.advance(6_000);
  expect(await waiting).toEqual(new DatabaseUnavailableError('NO_ANSWER'));
});

/** Creates a prepared statement that returns the given rows. */
function createTestStatement(answer = (row: { execution: number }) => [row]) {
  const prepare = vi.fn(() => ({
    execute: async (values: Record<string, unknown>) =>
      answer({ execution: values['execution'] as number }),
  }));
  return { prepare, find: preparedStatement('find_it', () => ({ prepare })) };
}

test('preparedStatement prepares a statement once for each database or transaction, at its first use', async () => {
  const { find, prepare } = createTestStatement();
  expect(prepare).not.toHaveBeenCalled();
  for (const used of [db, db, {} as Database]) await find(used);
  expect(prepare.mock.calls).toEqual([['find_it'], ['find_it']]);
});

// Regression: postgres.js returned `[ , row]`, `[]` or the rows of another statement after its
// connection had been lost. The service then treated a valid API key as unknown.
test.each<[string, (row: { execution: number }) => { execution: number }[]]>([
  ['too few rows', (row) => [row]],
  ['too many rows', (row) => [row, row, row]],
  ['a missing row before its other rows', (row) => Object.assign(new Array(1), { 1: row, 2: row })],
  ['rows of another execution', (row) => [row, { execution: row.execution - 1 }]],
])(
  'preparedStatement rejects with a DatabaseUnavailableError when a result has %s',
  async (_, answer) => {
    expect(await createTestStatement((row) => [row, row]).find(db, {}, 2)).toHaveLength(2);
    await expect(createTestStatement(answer).find(db, {}, 2)).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: 'INCOMPLETE',
    });
  },
);
