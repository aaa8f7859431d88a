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

/** What subscribers learn about a statement: its name in our code, never its parameters. */
export interface StatementContext {
  readonly statement: string;
}

/**
 * Publishes every statement: to metrics, traces, and what watches over the database. A channel of Node's, as ioredis
 * has one too, so that repositories need not know who listens.
 */
const statementChannel: TracingChannel<object, StatementContext> = tracingChannel<
  object,
  StatementContext
>('animal-store:statement');

/**
 * Calls `onEnd` for every statement that has settled, with its name and its error.
 *
 * @returns ends that.
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
  /** Whether a statement that takes too long says nothing about the database: see {@link StatementTooSlowError}. */
  readonly mayBeSlow?: boolean;
  /** The name of its pool of connections, for the log. */
  readonly pool?: string;
}

/** How long the statements of a database or transaction may take. */
const limits = new WeakMap<Database, StatementLimit>();
const usualLimit: StatementLimit = { ms: defaultDatabaseLimits.answerWithinMs };
const limitOf = (db: Database) => limits.get(db) ?? usualLimit;

/**
 * Ends the wait for an answer to each statement after `answerWithinMs`.
 *
 * @param options.mayBeSlow whether a statement that takes longer fails with {@link StatementTooSlowError}, which is
 * no outage of the database.
 * @param options.pool what the log calls its pool of connections.
 * @param options.clock for tests; a database has no other than that of the machine.
 */
export function limitStatements(
  db: Database,
  answerWithinMs: number,
  options: { mayBeSlow?: boolean; pool?: string; clock?: Clock } = {},
): void {
  limits.set(db, { ms: answerWithinMs, ...options });
}

/** A statement that drizzle has prepared. To SQL, PGlite's driver answers an object with the rows. */
interface Prepared<Row> {
  execute(values: Record<string, unknown>): Promise<Row[] | { readonly rows: Row[] }>;
}

/** A row that says which execution of its statement it answers. */
interface Answering {
  readonly execution: number;
}

/** The column of {@link Answering}: the database sends back the number that it was given. */
export const execution: SQL<number> = sql<number>`${sql.placeholder('execution')}::int`;

/** What a statement selects from that joins what it looks for: one row, found or not. */
export const oneRow: SQL = sql`(select) as asked`;

let executions = 0;

/**
 * Defines a statement of the request path. It is built and prepared once for each database or
 * transaction that uses it, on first use. Its values are placeholders (`sql.placeholder`).
 *
 * Its answer is provably whole: it has one row for each thing that was asked, found or not, and each row
 * repeats the number of this execution. Otherwise the connection is at fault, and not the caller. A
 * driver that takes the remains of a dying connection for an answer would else turn a valid key into an
 * unknown one.
 *
 * @param name what metrics and traces call the statement.
 * @returns the statement. Its last argument is how many rows a whole answer has. It rejects with a
 * {@link DatabaseUnavailableError} (`INCOMPLETE`) if the answer is not whole.
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
    // An int of Postgres.
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

/** @throws {DatabaseUnavailableError} if rows are missing, or answer another execution. */
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

/** How drizzle's types say what an execution resolves with. */
interface Raw<Row> extends PreparedQueryConfig {
  execute: Awaited<ReturnType<Prepared<Row & Answering>['execute']>>;
}

/**
 * Defines a {@link preparedStatement} that is SQL: its text and the type of its rows stand together. It
 * answers several requests at once, which it reads from {@link given}.
 *
 * @returns the statement: it has one row for each request.
 */
export function preparedSql<Row>(
  name: string,
  text: SQL,
): (db: Database, requests: readonly object[]) => Promise<(Row & Answering)[]> {
  const ask = provenStatement<Row & Answering>(name, (db) => {
    const query = new PgDialect().sqlToQuery(text);
    // `db.execute` would have Postgres plan it for each execution.
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
 * The requests of a {@link preparedSql}, with `n` for their number in their order. As JSON, because Postgres
 * would see how long an array is, and make a new plan for each execution.
 *
 * @param columns their names and types, in SQL.
 */
export function given(columns: string): SQL {
  return sql`json_to_recordset(${sql.placeholder('requests')}::text::json)
    as given (${sql.raw(columns)})`;
}

/**
 * Defines a statement that operators or timers need. It is built for each call, so its type checks
 * the values.
 *
 * Its answer is not proven to be whole: it is a list, which may be empty, or part of a transaction, which a
 * lost connection undoes. Nothing is refused because a row is missing; for that use
 * {@link preparedStatement}.
 *
 * @param name what metrics and traces call the statement.
 */
export function statement<Values extends readonly unknown[], Rows>(
  name: string,
  build: (db: Database, ...values: Values) => PromiseLike<Rows>,
): (db: Database, ...values: Values) => Promise<Rows> {
  return (db, ...values) => run(name, db, build(db, ...values));
}

/** Thrown in a transaction to undo it. It is not a failure of the database, and reaches the caller as it is. */
export class Rollback extends Error {}

/** SQLSTATEs of a transaction that Postgres undid because of another one: it may succeed if it is run again. */
const conflicts: readonly string[] = ['40001', '40P01'];

/** How often a transaction is run, at most. */
const maxRuns = 3;

/**
 * Runs statements in one transaction, and again if Postgres undid it because of another transaction.
 *
 * @param work may run several times, so what it does outside of the transaction must be repeatable.
 * @param name what metrics and traces call the transaction.
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

/** The error of a statement inside a transaction is already translated. */
function translate(error: unknown, { mayBeSlow = false, pool }: StatementLimit): never {
  const translated = error instanceof DatabaseError ? error : toDatabaseError(error);
  const isSlow = translated.code === queryCanceled || translated.code === noAnswer;
  const told = mayBeSlow && isSlow ? new StatementTooSlowError(translated.code) : translated;
  told.pool ??= pool;
  throw told;
}
