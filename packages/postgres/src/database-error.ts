import { faultOf } from './database-fault.ts';

/** A statement that failed. Carries the SQLSTATE, never the statement, its parameters or their text. */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError';
  /** The five-character SQLSTATE, or the driver's own code. */
  readonly code: string;
  /** The pool whose connection was used, or could not be opened. The embedded database has none. */
  pool: string | undefined;
  /** How the same statement failed before, on another pool. */
  earlier: DatabaseError | undefined;

  constructor(code: string) {
    super(`The database refused a statement (${code}).`);
    this.code = code;
  }

  /** What was tried, and how it failed, for the log: "reads ENOTFOUND, requests ECONNREFUSED". */
  get attempts(): string {
    const last = [this.pool, this.code.replaceAll(/\W/g, '')].filter(Boolean).join(' ');
    return this.earlier === undefined ? last : `${this.earlier.attempts}, ${last}`;
  }
}

/** The database cannot be reached, or is too busy to answer: trying again later may help. */
export class DatabaseUnavailableError extends DatabaseError {
  override readonly name = 'DatabaseUnavailableError';
  /** Turns the response into a 503. */
  readonly retryAfterSeconds = 1;

  /** Whether the connection of the statement could not be opened: another one may be open. */
  get isUnconnected(): boolean {
    return /^(?:ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED|53300)$/.test(this.code);
  }
}

/**
 * A statement of an operator took longer than such statements may take. The database is available: it is no outage,
 * and callers have connections of their own.
 */
export class StatementTooSlowError extends DatabaseError {
  override readonly name = 'StatementTooSlowError';
}

/** The code of a statement that the service has stopped waiting for. */
export const noAnswer = 'NO_ANSWER';

/** SQLSTATE of a statement that was canceled, or took longer than `statement_timeout`. */
export const queryCanceled = '57014';

/**
 * Reports what fails in the background, but not that the database is unavailable: metrics count failed statements,
 * and a line for each of them would fill the log during an outage.
 */
export const unlessUnavailable = (report: (failure: unknown) => void) => (failure: unknown) => {
  if (!(failure instanceof DatabaseUnavailableError)) report(failure);
};

/** SQLSTATE of a write to a standby, or to a database that is set to read-only. */
export const readOnly = '25006';

/** SQLSTATE of a statement that waited for a lock for longer than `lock_timeout`. */
export const lockNotAvailable = '55P03';

/** The code of an answer of the database that lacks rows, or has those of another statement. */
export const incompleteAnswer = 'INCOMPLETE';

/**
 * Translates an error of the driver or of drizzle.
 *
 * drizzle puts the statement and its parameters into the message, and Postgres may repeat values in
 * its own. Both may hold what a caller sent, and neither may reach a log or a response.
 */
export function toDatabaseError(error: unknown): DatabaseError {
  const code = codeOf(error);
  const isAvailable = faultOf(code).remedy === 'statement';
  return isAvailable ? new DatabaseError(code) : new DatabaseUnavailableError(code);
}

/** The code of an error or of the error that caused it: drizzle wraps those of the driver. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return 'unknown';
}
