import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { Database } from './database.ts';
import { DatabaseError, DatabaseUnavailableError } from './database-error.ts';
import {
  inTransaction,
  limitStatements,
  preparedStatement,
  Rollback,
  statement,
} from './statement.ts';

/** These statements bring their own result and never use the database. */
const db = {} as Database;

const runQuery = statement('a_test', (_db, query: PromiseLike<unknown>) => query);

/** The error that a rejected query becomes. */
const errorOf = (query: PromiseLike<unknown>): Promise<unknown> =>
  runQuery(db, query).then(
    () => undefined,
    (error: unknown) => error,
  );

/** What an error with a code becomes, also as the cause of another: drizzle wraps errors like that. */
async function translated(code: string): Promise<unknown> {
  const cause = Object.assign(new Error('parameters: hunter2'), { code });
  const wrapped = new Error('Failed query: select hunter2', { cause });
  const direct = await errorOf(Promise.reject(cause));
  expect(await errorOf(Promise.reject(wrapped))).toEqual(direct);
  return direct;
}

describe('the result of a statement', () => {
  test('is the rows of its query', async () => {
    expect(await runQuery(db, Promise.resolve('rows'))).toBe('rows');
  });

  // SQLSTATEs, then codes of postgres.js and Node.
  test.each([
    ...['08000', '08006', '08P01', '53300', '53100', '57014', '57P01', '57P03', '55P03'],
    ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ])('after %s is DatabaseUnavailableError', async (code) => {
    const error = await translated(code);
    expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect(error).toMatchObject({ name: 'DatabaseUnavailableError', code });
  });

  test.each([
    '23505',
    '22021',
    '42P01',
    'XX000',
    '40P01',
    'ERR_INVALID_ARG_TYPE',
    'UNDEFINED_VALUE',
  ])('after %s is DatabaseError', async (code) => {
    const error = await translated(code);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).not.toBeInstanceOf(DatabaseUnavailableError);
    expect(error).toMatchObject({ name: 'DatabaseError', code });
  });

  test('never holds the SQL or its parameters', async () => {
    const error = (await translated('23505')) as Error;
    expect(error.message).toBe('The database refused a statement (23505).');
    expect(error.cause).toBeUndefined();
    expect(error.stack).not.toContain('hunter2');
  });

  test.each([[undefined], ['text'], [new Error('no code')]])(
    'after %s is DatabaseError with the code unknown',
    async (failure) => {
      expect(await errorOf(Promise.reject(failure))).toMatchObject({
        name: 'DatabaseError',
        code: 'unknown',
      });
    },
  );
});

const transacting = {
  transaction: (work: (tx: Database) => Promise<unknown>) => work(db),
} as unknown as Database;

test('the error of a statement in a transaction is the error of the transaction', async () => {
  const lost = Object.assign(new Error(), { code: '57P01' });
  await expect(
    inTransaction('a_transaction', transacting, (tx) => runQuery(tx, Promise.reject(lost))),
  ).rejects.toMatchObject({ name: 'DatabaseUnavailableError', code: '57P01' });
});

test('a rollback reaches the caller as it is, and is not published as a failure', async () => {
  const failures: unknown[] = [];
  const { error } = tracingChannel('animal-store:statement');
  const record = (message: unknown) => failures.push(message);
  error.subscribe(record);
  try {
    const refused = new Rollback('refused');
    const work = () => Promise.reject(refused);
    await expect(inTransaction('a_transaction', transacting, work)).rejects.toBe(refused);
  } finally {
    error.unsubscribe(record);
  }
  expect(failures).toEqual([]);
});

describe('a statement without an answer', () => {
  const clock = createTestClock();
  const db = {} as Database;
  limitStatements(db, 6_000, clock);

  test('fails with DatabaseUnavailableError at its deadline', async () => {
    const waiting = expect(runQuery(db, new Promise(() => {}))).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: 'NO_ANSWER',
    });
    await clock.advance(6_000);
    await waiting;
  });

  test('leaves no timer behind, and neither does one with an answer', async () => {
    await runQuery(db, Promise.resolve());
    await runQuery(db, Promise.reject(new Error())).catch(() => {});
    expect(clock.timerCount()).toBe(0);
  });
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

  test('is not built before it is used', () => {
    expect(createTestStatement().events).toEqual([]);
  });

  test('is built and prepared once for a database', async () => {
    const { find, events } = createTestStatement();
    await find(db, { id: 1 });
    await find(db, { id: 2 });
    expect(events).toEqual(['built', 'prepared as find_it', { id: 1 }, { id: 2 }]);
  });

  test('is prepared again for another database or transaction', async () => {
    const { find, events } = createTestStatement();
    await find(db);
    await find({} as Database);
    expect(events.filter((event) => event === 'built')).toHaveLength(2);
  });

  test('gives the rows of a whole answer', async () => {
    const { find } = createTestStatement((row) => [row, row]);
    expect(await find(db, {}, 2)).toHaveLength(2);
  });

  // A driver gave `[ , row]`, `[]` or the rows of another statement after its connection had died.
  test.each<[string, (row: { execution: number }) => { execution: number }[]]>([
    ['no row', () => []],
    ['too few rows', (row) => [row]],
    ['too many rows', (row) => [row, row, row]],
    ['a hole before its rows', (row) => Object.assign(new Array(1), { 1: row, 2: row })],
    ['rows of another execution', (row) => [row, { execution: row.execution - 1 }]],
  ])('takes an answer with %s for a lost connection', async (_, answer) => {
    const { find } = createTestStatement(answer);
    await expect(find(db, {}, 2)).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: 'INCOMPLETE',
    });
  });
});

test('every statement is published under its name, without its values', async () => {
  const published: unknown[] = [];
  const { start } = tracingChannel('animal-store:statement');
  const record = (message: unknown) => published.push(message);
  start.subscribe(record);
  try {
    await runQuery(db, Promise.resolve('rows'));
  } finally {
    start.unsubscribe(record);
  }
  expect(published).toEqual([{ statement: 'a_test', result: 'rows' }]);
});
