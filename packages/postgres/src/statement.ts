import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '@animal-store/runtime';
import { type TimeLimit, waitAtMost } from '@animal-store/runtime';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { PreparedQueryConfig } from 'drizzle-orm/pg-core/session';
import { currentSignal } from './abandoned-request.ts';
import type { Database } from './database.ts';
import {
  DatabaseError,
  DatabaseUnavailableError,
  incompleteAnswer,
  noResponse,
  queryCanceled,
  StatementTooSlowError,
  toDatabaseError,
} from './database-error.ts';
import { defaultDatabaseLimits } from './database-settings.ts';

/**
 * The information about a statement that the subscribers of {@link statementChannel} receive: the
 * name from the call of `statement` or `preparedStatement`. The subscribers never receive the
 * parameters of the statement.
 */
export interface StatementContext {
  readonly statement: string;
}

/**
 * The channel on which every statement is published, so that repositories need not know the
 * subscribers: metrics, traces and the monitors of the database. It is a `TracingChannel` of Node,
 * like the channels on which ioredis publishes its commands.
 */
const statementChannel: TracingChannel<object, StatementContext> = tracingChannel<
  object,
  StatementContext
>('animal-store:statement');

/**
 * Calls `onEnd` for every statement that has ended, with its name and its error.
 *
 * @returns a function that ends the subscription.
 */
export function followStatements(onEnd: (statement: string, error: unknown) => void): () => void {
  const { asyncEnd } = statementChannel;
  const notify = (message: unknown) => {
    const { statement, error } = message as StatementContext & { error?: unknown };
    onEnd(statement, error);
  };
  asyncEnd.subscribe(notify);
  return () => {
    asyncEnd.unsubscribe(notify);
  };
}

interface StatementLimit extends TimeLimit {
  /**
   * Whether a statement may exceed its timeout without counting as an outage of the database: see
   * {@link StatementTooSlowError}.
   */
  readonly mayBeSlow?: boolean;
  /** The name of the connection pool, as the log shows it. */
  readonly pool?: string;
}

/** Maps each database and each transaction to the timeout of its statements. */
const limits = new WeakMap<Database, StatementLimit>();
const defaultLimit: StatementLimit = { ms: defaultDatabaseLimits.answerWithinMs };
const limitOf = (db: Database) => limits.get(db) ?? defaultLimit;

/**
 * Sets the timeout of all statements of a database to `answerWithinMs`.
 *
 * @param options.mayBeSlow whether a statement that exceeds its timeout fails with {@link
 *   StatementTooSlowError}, which is not an outage of the database.
 * @param options.pool the name of the connection pool in the log.
 * @param options.clock the clock of the timeout, which tests replace.
 */
export function limitStatements(
  db: Database,
  answerWithinMs: number,
  options: { mayBeSlow?: boolean; pool?: string; clock?: Clock } = {},
): void {
  limits.set(db, { ms: answerWithinMs, ...options });
}

/**
 * A statement that drizzle has prepared. If the statement is written in SQL, the driver of PGlite
 * returns an object with the rows instead of an array.
 */
interface Prepared<Row> {
  execute(values: Record<string, unknown>): Promise<Row[] | { readonly rows: Row[] }>;
}

/**
 * The type of a row whose column `execution` contains the number of the execution that has
 * requested the row.
 */
interface NumberedRow {
  readonly execution: number;
}

/**
 * The SQL of the column `execution`. The database returns the number that the statement has sent,
 * so the service can detect rows that belong to another execution.
 */
export const execution: SQL<number> = sql<number>`${sql.placeholder('execution')}::int`;

/**
 * An SQL table with one row. A statement uses this table in `from`, and joins the rows that it
 * looks for. So the result has one row, even if no row is found.
 */
export const oneRow: SQL = sql`(select) as asked`;

let executions = 0;

/**
 * Defines a statement for requests of callers. It is built and prepared once for each database or
 * transaction, at its first use. Its values are placeholders (`sql.placeholder`).
 *
 * The result can be checked for completeness. It has one row for each requested thing, even if the
 * thing does not exist, and each row contains the number of this execution. If rows are missing,
 * the connection is at fault.
 *
 * Without this check, a driver that returns an incomplete result of a dying connection would turn a
 * valid API key into an unknown one.
 *
 * @param name the name of the statement in metrics and traces.
 * @returns the statement. Its last argument is the number of rows in a complete result. It rejects
 *   with a {@link DatabaseUnavailableError} (`INCOMPLETE`) if the result is incomplete.
 */
export function preparedStatement<Row extends NumberedRow>(
  name: string,
  build: (db: Database) => { prepare(name: string): Prepared<Row> },
): (db: Database, values?: Record<string, unknown>, rowCount?: number) => Promise<Row[]> {
  return checkedStatement(name, (db) => build(db).prepare(name));
}

/** Defines a {@link preparedStatement} from a function that prepares it. */
function checkedStatement<Row extends NumberedRow>(
  name: string,
  prepare: (db: Database) => Prepared<Row>,
): (db: Database, values?: Record<string, unknown>, rowCount?: number) => Promise<Row[]> {
  const preparedFor = new WeakMap<Database, Prepared<Row>>();
  return (db, values, rowCount = 1) => {
    let prepared = preparedFor.get(db);
    if (prepared === undefined) {
      prepared = prepare(db);
      preparedFor.set(db, prepared);
    }
    // The modulus keeps the number of the execution within Postgres's 32-bit integers.
    executions = (executions + 1) % 0x7fff_ffff;
    const number = executions;
    const answer = prepared.execute({ ...values, execution: number });
    return run(
      name,
      db,
      answer.then((result) => expectComplete(result, number, rowCount)),
    );
  };
}

/**
 * Returns the rows of a result, if it is complete.
 *
 * @param number the number of this execution.
 * @throws {DatabaseUnavailableError} if there are too few or too many rows, or rows of another
 *   execution.
 */
function expectComplete<Row extends NumberedRow>(
  result: readonly (Row | undefined)[] | { readonly rows: readonly (Row | undefined)[] },
  number: number,
  rowCount: number,
): Row[] {
  const rows = 'rows' in result ? result.rows : result;
  const own = rows.filter((row) => row?.execution === number);
  if (own.length !== rowCount || rows.length !== rowCount) {
    throw new DatabaseUnavailableError(incompleteAnswer);
  }
  return own as Row[];
}

/** The type of an execution's result, as drizzle's types require it. */
interface PreparedRows<Row> extends PreparedQueryConfig {
  execute: Awaited<ReturnType<Prepared<Row & NumberedRow>['execute']>>;
}

/**
 * Defines a {@link preparedStatement} as SQL text, with the type of its rows. One execution serves
 * several requests. The statement reads them from {@link given}.
 *
 * @returns the statement. Its result has one row for each request.
 */
export function preparedSql<Row>(
  name: string,
  text: SQL,
): (db: Database, requests: readonly object[]) => Promise<(Row & NumberedRow)[]> {
  const execute = checkedStatement<Row & NumberedRow>(name, (db) => {
    const query = new PgDialect().sqlToQuery(text);
    // The statement does not use `db.execute`, because Postgres would then plan the statement again
    // for each execution.
    return db._.session.prepareQuery<PreparedRows<Row>>(query, undefined, name, false);
  });
  return (db, requests) =>
    execute(
      db,
      { requests: JSON.stringify(requests.map((request, n) => ({ n, ...request }))) },
      requests.length,
    );
}

/**
 * Returns the SQL for the requests of a {@link preparedSql}, as a table. Its column `n` contains
 * the position of each request.
 *
 * The requests are passed as one JSON text, not as an array. Postgres would see the length of an
 * array, and would therefore make a new plan for each execution.
 *
 * @param columns the names and types of the other columns, in SQL.
 */
export function requestTable(columns: string): SQL {
  return sql`json_to_recordset(${sql.placeholder('requests')}::text::json)
    as request_table (${sql.raw(columns)})`;
}

/**
 * Defines a statement for operators or background work. It is built for each call, so that the
 * compiler checks the types of its values.
 *
 * The result is not checked for completeness. It is a list, which may be empty, or it is part of a
 * transaction, which Postgres undoes when the connection is lost. If code refuses something because
 * a row is missing, use {@link preparedStatement}.
 *
 * If the client of the current request has already disconnected (see `runUntilAbandoned`), the
 * statement is not sent. It rejects with a {@link StatementTooSlowError}, like a statement that was
 * canceled.
 *
 * @param name the name of the statement in metrics and traces.
 */
export function statement<Values extends readonly unknown[], Rows>(
  name: string,
  build: (db: Database, ...values: Values) => PromiseLike<Rows>,
): (db: Database, ...values: Values) => Promise<Rows> {
  return (db, ...values) =>
    currentSignal()?.aborted
      ? Promise.reject(new StatementTooSlowError(queryCanceled))
      : run(name, db, build(db, ...values));
}

/**
 * An error that the work of a transaction throws to undo the transaction. The caller receives this
 * error unchanged. The error is not reported as a failure of the database.
 */
export class Rollback extends Error {}

/**
 * The SQLSTATEs of a transaction that Postgres has undone because of a conflict with another
 * transaction. A second run may succeed.
 */
const conflicts: readonly string[] = ['40001', '40P01'];

/** The maximum number of attempts to run a transaction. */
const maxRuns = 3;

/**
 * Runs statements in one transaction. If Postgres undoes the transaction because of a conflict with
 * another transaction, the function runs the transaction again.
 *
 * @param work the statements. It may run several times, so its other effects must be repeatable.
 * @param name the name of the transaction in metrics and traces.
 */
export async function inTransaction<Result>(
  name: string,
  db: Database,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  const attempt = () =>
    db.transaction((tx) => {
      limits.set(tx, limitOf(db));
      return work(tx);
    });
  async function attemptUntilDone(): Promise<Result | Rollback> {
    for (let runs = 1; ; runs += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof Rollback) return error;
        if (runs === maxRuns || !conflicts.includes(toDatabaseError(error).code)) throw error;
      }
    }
  }
  const result = await run(name, db, attemptUntilDone());
  if (result instanceof Rollback) throw result;
  return result;
}

/**
 * Waits for the result of a statement, at most until the timeout of its database. Converts an error
 * to a {@link DatabaseError}, which contains no data of callers. Also publishes the statement to
 * the subscribers of {@link statementChannel}, such as metrics and traces.
 */
function run<Result>(name: string, db: Database, query: PromiseLike<Result>): Promise<Result> {
  const limit = limitOf(db);
  const settle = () => waitAtMost(limit, query, giveUp).catch((error) => translate(error, limit));
  return statementChannel.tracePromise(settle, { statement: name });
}

async function giveUp(): Promise<never> {
  throw new DatabaseUnavailableError(noResponse);
}

/**
 * Throws a {@link DatabaseError} for an error of the driver, with the name of the connection pool.
 * The error of a statement inside a transaction is already converted, so the function only adds the
 * pool.
 */
function translate(error: unknown, { mayBeSlow = false, pool }: StatementLimit): never {
  const translated = error instanceof DatabaseError ? error : toDatabaseError(error);
  const isSlow = translated.code === queryCanceled || translated.code === noResponse;
  const reported = mayBeSlow && isSlow ? new StatementTooSlowError(translated.code) : translated;
  reported.pool ??= pool;
  throw reported;
}
