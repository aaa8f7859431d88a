import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { Database } from './database.ts';
import { DatabaseUnavailableError } from './database-error.ts';
import {
  inTransaction,
  limitStatements,
  preparedStatement,
  Rollback,
  statement,
} from './statement.ts';

/** These statements bring their own result and never use the database. */
const db = {
  transaction: (work: (tx: Database) => Promise<unknown>) => work(db),
} as unknown as Database;

const runQuery = statement('a_test', (_db, query: PromiseLike<unknown>) => query);

const failed = (code: string) => Object.assign(new Error('parameters: hunter2'), { code });

const unavailable = [
  // SQLSTATEs, then codes of postgres.js and Node.
  ...['08P01', '53100', '53300', '57014', '57P01', '57P03', '55P03'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAI_AGAIN'],
].map((code) => [code, 'DatabaseUnavailableError']);
const refused = ['23505', '42P01', 'XX000', '40P01', 'UNDEFINED_VALUE'].map((code) => [
  code,
  'DatabaseError',
]);

test.each([...unavailable, ...refused])(
  '%s becomes %s, without the SQL and its parameters',
  async (code = '', name) => {
    // drizzle wraps errors.
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

test('the error of a statement in a transaction is the error of the transaction', async () => {
  const work = (tx: Database) => runQuery(tx, Promise.reject(failed('57P01')));
  await expect(inTransaction('a_transaction', db, work)).rejects.toMatchObject({
    name: 'DatabaseUnavailableError',
    code: '57P01',
  });
});

test('a rollback reaches the caller as it is, and is not published as a failure', async () => {
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

test('a statement without an answer fails at its deadline, and leaves no timer', async () => {
  const clock = createTestClock();
  const limited = {} as Database;
  limitStatements(limited, 6_000, clock);
  await runQuery(limited, Promise.resolve());
  expect(clock.timerCount()).toBe(0);
  const waiting = runQuery(limited, new Promise(() => {})).catch((error: unknown) => error);
  await clock.advance(6_000);
  expect(await waiting).toEqual(new DatabaseUnavailableError('NO_ANSWER'));
});

describe('a prepared statement', () => {
  /** Records what is built, prepared and executed. */
  function createTestStatement(answer = (row: { execution: number }) => [row]) {
    const events: unknown[] = [];
    const find = preparedStatement('find_it', () => {
      events.push('built');
      return {
        prepare(name) {
          events.push(`prepared as ${name}`);
          return {
            async execute({ execution, ...values } = {}) {
              events.push(values);
              return answer({ execution: execution as number });
            },
          };
        },
      };
    });
    return { find, events };
  }

  test('is built and prepared once for each database or transaction, when it is used', async () => {
    const { find, events } = createTestStatement();
    expect(events).toEqual([]);
    await find(db, { id: 1 });
    await find(db, { id: 2 });
    await find({} as Database);
    const once = ['built', 'prepared as find_it'];
    expect(events).toEqual([...once, { id: 1 }, { id: 2 }, ...once, {}]);
  });

  // A driver gave `[ , row]`, `[]` or the rows of another statement after its connection had died.
  test.each<[string, (row: { execution: number }) => { execution: number }[]]>([
    ['too few rows', (row) => [row]],
    ['too many rows', (row) => [row, row, row]],
    ['a hole before its rows', (row) => Object.assign(new Array(1), { 1: row, 2: row })],
    ['rows of another execution', (row) => [row, { execution: row.execution - 1 }]],
  ])('takes an answer with %s for a lost connection', async (_, answer) => {
    const whole = createTestStatement((row) => [row, row]);
    expect(await whole.find(db, {}, 2)).toHaveLength(2);
    const { find } = createTestStatement(answer);
    await expect(find(db, {}, 2)).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: 'INCOMPLETE',
    });
  });
});
