import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { DatabaseError, DatabaseUnavailableError, toDatabaseError } from './database-error.ts';

/** What subscribers learn about a statement: its name in our code, never its parameters. */
export interface StatementContext {
  readonly statement: string;
}

/**
 * Publishes every statement to metrics and traces. A channel of Node's, as ioredis has one too, so
 * that repositories need not know who listens.
 */
const statementChannel: TracingChannel<unknown, StatementContext> = tracingChannel<
  unknown,
  StatementContext
>('animal-store:statement');

/**
 * How long a statement may take, including its wait for a connection. Longer than Postgres's own
 * limit (`statement_timeout`), which also stops the work. This one is for a Postgres that does not
 * answer at all, for which the driver would wait forever.
 */
export const answerWithinMs = 6_000;

/** A query of drizzle's that can be prepared: every one that its builders make. */
interface Preparable<Rows> {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Rows> };
}

/**
 * Defines a statement of the request path. It is built and prepared once for each database or
 * transaction that uses it, on first use. Its values are placeholders (`sql.placeholder`).
 *
 * @param name what metrics and traces call the statement.
 */
export function preparedStatement<Rows>(
  name: string,
  build: (db: Database) => Preparable<Rows>,
): (db: Database, values?: Record<string, unknown>) => Promise<Rows> {
  const preparedFor = new WeakMap<Database, ReturnType<Preparable<Rows>['prepare']>>();
  return (db, values) => {
    let prepared = preparedFor.get(db);
    if (prepared === undefined) {
      prepared = build(db).prepare(name);
      preparedFor.set(db, prepared);
    }
    return run(name, prepared.execute(values));
  };
}

/**
 * A placeholder for an array of texts, one element for each request that shares the statement.
 *
 * In a subquery, because Postgres would make a new plan for each execution otherwise: it knows the
 * length of a plain array, and so a plan for this length looks better than the plan for all. To plan
 * takes as long as to read a page.
 */
export function textArray(name: string): SQL {
  return sql`(select ${sql.placeholder(name)}::text[])`;
}

/** How the driver writes such an array. */
export const textArrayType = {
  // The type of text[]. Its number is part of Postgres.
  to: 1009,
  from: [],
  serialize: writeTextArray,
  parse: String,
};

/** Writes an array as Postgres reads it (manual, 8.15.6 "Array Input and Output Syntax"). */
function writeTextArray(texts: readonly (string | null)[]): string {
  const elements = texts.map((text) =>
    text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`,
  );
  return `{${elements.join(',')}}`;
}

/**
 * Defines a statement that operators or timers need. It is built for each call, so its type checks
 * the values.
 *
 * @param name what metrics and traces call the statement.
 */
export function statement<Values extends readonly unknown[], Rows>(
  name: string,
  build: (db: Database, ...values: Values) => PromiseLike<Rows>,
): (db: Database, ...values: Values) => Promise<Rows> {
  return (db, ...values) => run(name, build(db, ...values));
}

/**
 * Runs statements in one transaction.
 *
 * @param name what metrics and traces call the transaction.
 */
export function inTransaction<Result>(
  name: string,
  db: Database,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  return run(name, db.transaction(work));
}

/** Traces a query, ends its wait after {@link answerWithinMs} and translates its error. */
function run<Result>(name: string, query: PromiseLike<Result>): Promise<Result> {
  return statementChannel.tracePromise(() => settleInTime(query), { statement: name });
}

async function settleInTime<Result>(query: PromiseLike<Result>): Promise<Result> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.reject(new DatabaseUnavailableError('NO_ANSWER'));
  }, answerWithinMs);
  try {
    return await Promise.race([query, deadline.promise]);
  } catch (error) {
    // The error of a statement inside a transaction is already translated.
    throw error instanceof DatabaseError ? error : toDatabaseError(error);
  } finally {
    clearTimeout(timer);
  }
}
