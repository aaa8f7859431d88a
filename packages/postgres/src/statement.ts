import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '@animal-store/runtime';
import { type TimeLimit, waitAtMost } from '@animal-store/runtime';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { PreparedQueryConfig } from 'drizzle-orm/pg-core/session';
import type { Database } from './database.ts';
import {
  DatabaseError,
  DatabaseUnavailableError,
  incompleteAnswer,
  noAnswer,
  queryCanceled,
  StatementTooSlowError,
  toDatabaseError,
} from './database-error.ts';
import { defaultDatabaseLimits } from './database-settings.ts';

/** What subscribers receive about a statement: its name in our code, never its parameters. */
export interface StatementContext {
  readonly statement: string;
}

/**
 * Publishes every statement to metrics, traces and the watchers of the database. It is a
 * diagnostics channel of Node, as in ioredis, so that repositories need not know the subscribers.
 */
const statementChannel: TracingChannel<object, StatementContext> = tracingChannel<
  object,
  StatementContext
>('animal-store:statement');

/**
 * Calls `onEnd` for every statement that has settled, with its name and its error.
 *
 * @returns a function that ends the subscription.
 */
export function followStatements(onEnd: (statement: string, error: unknown) => void): () => void {
  const { asyncEnd } = statementChannel;
  const tell = (message: unknown) => {
    const { statement, error } = message as StatementContext & { error?: unknown };
    onEnd(statement, error);
  };
  asyncEnd.subscribe(tell);
  return () => {
    asyncEnd.unsubscribe(tell);
  };
}

interface StatementLimit extends TimeLimit {
  /**
   * Whether a slow statement says nothing about the database: see {@link StatementTooSlowError}.
   */
  readonly mayBeSlow?: boolean;
  /** The name of its connection pool, for the log. */
  readonly pool?: string;
}

/** The timeout of the statements of a database or transaction. */
const limits = new WeakMap<Database, StatementLimit>();
const usualLimit: StatementLimit = { ms: defaultDatabaseLimits.answerWithinMs };
const limitOf = (db: Database) => limits.get(db) ?? usualLimit;

/**
 * Sets the timeout of all statements to `answerWithinMs`.
 *
 * @param options.mayBeSlow whether a slower statement fails with {@link StatementTooSlowError},
 *   which is not an outage of the database.
 * @param options.pool the name of its connection pool in the log.
 * @param options.clock for tests; the database itself only has the clock of its machine.
 */
export function limitStatements(
  db: Database,
  answerWithinMs: number,
  options: { mayBeSlow?: boolean; pool?: string; clock?: Clock } = {},
): void {
  limits.set(db, { ms: answerWithinMs, ...options });
}

/**
 * A statement that drizzle has prepared. For SQL, PGlite's driver returns an object that contains
 * the rows.
 */
interface Prepared<Row> {
  execute(values: Record<string, unknown>): Promise<Row[] | { readonly rows: Row[] }>;
}

/** A row with the number of the execution that it belongs to. */
interface Answering {
  readonly execution: number;
}

/** The column of {@link Answering}: the database returns the number that it received. */
export const execution: SQL<number> = sql<number>`${sql.placeholder('execution')}::int`;

/**
 * The base row of a statement, to which it joins what it looks for. So there is one row whether or
 * not anything is found.
 */
export const oneRow: SQL = sql`(select) as asked`;

let executions = 0;

/**
 * Defines a statement of the request path. It is built and prepared once for each database or
 * transaction, on first use. Its values are placeholders (`sql.placeholder`).
 *
 * The result can be checked for completeness. It has one row for each requested thing, found or
 * not, and each row repeats the number of this execution. If rows are missing, the connection is at
 * fault, and not the caller. Otherwise a driver that returns leftovers of a dying connection would
 * turn a valid key into an unknown one.
 *
 * @param name the name of the statement in metrics and traces.
 * @returns the statement. Its last argument is the number of rows in a complete result. It rejects
 *   with a {@link DatabaseUnavailableError} (`INCOMPLETE`) if the result is incomplete.
 */
export function preparedStatement<Row extends Answering>(
  name: string,
  build: (db: Database) => { prepare(name: string): Prepared<Row> },
): (db: Database, values?: Record<string, unknown>, rowCount?: number) => Promise<Row[]> {
  return provenStatement(name, (db) => build(db).prepare(name));
}

function provenStatement<Row extends Answering>(
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
    // The largest int of Postgres.
    executions = (executions + 1) % 0x7fff_ffff;
    const asked = executions;
    const answer = prepared.execute({ ...values, execution: asked });
    return run(
      name,
      db,
      answer.then((given) => expectWhole(given, asked, rowCount)),
    );
  };
}

/**
 * Checks that a result is complete.
 *
 * @throws {DatabaseUnavailableError} if rows are missing, or belong to another execution.
 */
function expectWhole<Row extends Answering>(
  answer: readonly (Row | undefined)[] | { readonly rows: readonly (Row | undefined)[] },
  asked: number,
  rowCount: number,
): Row[] {
  const rows = 'rows' in answer ? answer.rows : answer;
  const whole = rows.filter((row) => row?.execution === asked);
  if (whole.length !== rowCount || rows.length !== rowCount) {
    throw new DatabaseUnavailableError(incompleteAnswer);
  }
  return whole as Row[];
}

/** The result type of an execution in drizzle's types. */
interface Raw<Row> extends PreparedQueryConfig {
  execute: Awaited<ReturnType<Prepared<Row & Answering>['execute']>>;
}

/**
 * Defines a {@link preparedStatement} in SQL: its text and the type of its rows stand together. One
 * execution serves several requests, which the statement reads from {@link given}.
 *
 * @returns the statement: it has one row for each request.
 */
export function preparedSql<Row>(
  name: string,
  text: SQL,
): (db: Database, requests: readonly object[]) => Promise<(Row & Answering)[]> {
  const ask = provenStatement<Row & Answering>(name, (db) => {
    const query = new PgDialect().sqlToQuery(text);
    // With `db.execute`, Postgres would plan the statement for each execution.
    return db._.session.prepareQuery<Raw<Row>>(query, undefined, name, false);
  });
  return (db, requests) =>
    ask(
      db,
      { requests: JSON.stringify(requests.map((request, n) => ({ n, ...request }))) },
      requests.length,
    );
}

/**
 * The requests of a {@link preparedSql}, with the column `n` for their position. They are passed as
 * JSON, because Postgres would see the length of an array, and make a new plan for each execution.
 *
 * @param columns their names and types, in SQL.
 */
export function given(columns: string): SQL {
  return sql`json_to_recordset(${sql.placeholder('requests')}::text::json)
    as given (${sql.raw(columns)})`;
}

/**
 * Defines a statement for operators or timers. It is built for each call, so its type checks the
 * values.
 *
 * Its result is not checked for completeness. It is a list, which may be empty, or part of a
 * transaction, which a lost connection undoes. No code may refuse something because a row is
 * missing; use {@link preparedStatement} for that.
 *
 * @param name the name of the statement in metrics and traces.
 */
export function statement<Values extends readonly unknown[], Rows>(
  name: string,
  build: (db: Database, ...values: Values) => PromiseLike<Rows>,
): (db: Database, ...values: Values) => Promise<Rows> {
  return (db, ...values) => run(name, db, build(db, ...values));
}

/**
 * Thrown in a transaction to undo it. It is not a failure of the database, and reaches the caller
 * unchanged.
 */
export class Rollback extends Error {}

/**
 * SQLSTATEs of a transaction that Postgres undid because of another one. A second run may succeed.
 */
const conflicts: readonly string[] = ['40001', '40P01'];

/** How often a transaction runs, at most. */
const maxRuns = 3;

/**
 * Runs statements in one transaction, and runs them again if Postgres undid it because of another
 * transaction.
 *
 * @param work may run several times, so its effects outside the transaction must be repeatable.
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

/** Publishes a query, limits its time, and translates its error. */
function run<Result>(name: string, db: Database, query: PromiseLike<Result>): Promise<Result> {
  const limit = limitOf(db);
  const settle = () => waitAtMost(limit, query, giveUp).catch((error) => translate(error, limit));
  return statementChannel.tracePromise(settle, { statement: name });
}

async function giveUp(): Promise<never> {
  throw new DatabaseUnavailableError(noAnswer);
}

/**
 * Throws the translated error. The error of a statement inside a transaction is already translated.
 */
function translate(error: unknown, { mayBeSlow = false, pool }: StatementLimit): never {
  const translated = error instanceof DatabaseError ? error : toDatabaseError(error);
  const isSlow = translated.code === queryCanceled || translated.code === noAnswer;
  const told = mayBeSlow && isSlow ? new StatementTooSlowError(translated.code) : translated;
  told.pool ??= pool;
  throw told;
}
