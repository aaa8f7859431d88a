import { faultOf } from './database-fault.ts';

/**
 * A statement that failed. The error contains the SQLSTATE, but never the statement, its parameters
 * or the driver's message.
 */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError';
  /** The five-character SQLSTATE, or the driver's own code. */
  readonly code: string;
  /**
   * The pool whose connection was used, or could not be opened. The embedded database has no pools.
   */
  pool: string | undefined;
  /** The error of the same statement on another pool, where it was tried before. */
  earlier: DatabaseError | undefined;

  constructor(code: string) {
    super(`The database refused a statement (${code}).`);
    this.code = code;
  }

  /**
   * Describes for the log which pools were tried, and how each failed: "reads ENOTFOUND, requests
   * ECONNREFUSED".
   */
  get attempts(): string {
    const last = [this.pool, this.code.replaceAll(/\W/g, '')].filter(Boolean).join(' ');
    return this.earlier === undefined ? last : `${this.earlier.attempts}, ${last}`;
  }
}

/** The database cannot be reached, or is too busy to respond. A retry may help. */
export class DatabaseUnavailableError extends DatabaseError {
  override readonly name = 'DatabaseUnavailableError';
  /** The error mapper turns the error into a 503. */
  readonly retryAfterSeconds = 1;

  /**
   * Whether the statement failed because no connection could be opened. Another pool may have an
   * open connection.
   */
  get isUnconnected(): boolean {
    return /^(?:ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED|53300)$/.test(this.code);
  }
}

/**
 * A statement of an operator exceeded its timeout. The database is available, and requests of
 * callers use other connections, so this is not an outage.
 */
export class StatementTooSlowError extends DatabaseError {
  override readonly name = 'StatementTooSlowError';
}

/** The code of a statement that the service no longer waits for. */
export const noAnswer = 'NO_ANSWER';

/** The SQLSTATE of a statement that was canceled, or exceeded `statement_timeout`. */
export const queryCanceled = '57014';

/**
 * Reports errors of background work, except an unavailable database: metrics count failed
 * statements, and one line for each of them would fill the log during an outage.
 */
export const unlessUnavailable = (report: (failure: unknown) => void) => (failure: unknown) => {
  if (!(failure instanceof DatabaseUnavailableError)) report(failure);
};

/** The SQLSTATE of a write to a standby, or to a database that is set to read-only. */
export const readOnly = '25006';

/** The SQLSTATE of a statement that exceeded `lock_timeout`. */
export const lockNotAvailable = '55P03';

/** The code of a result that lacks rows, or contains rows of another statement. */
export const incompleteAnswer = 'INCOMPLETE';

/**
 * Translates an error of the driver or of drizzle.
 *
 * drizzle puts the statement and its parameters into the message, and Postgres may repeat values in
 * its own message. Both may contain data from a caller, which must not reach a log or a response.
 */
export function toDatabaseError(error: unknown): DatabaseError {
  const { code, severity } = failureOf(error);
  if (faultOf(code).remedy !== 'statement') return new DatabaseUnavailableError(code);
  // Postgres ends the session with such an error, or refuses to begin one. The statement is not at
  // fault, although its SQLSTATE may be the same, for example a missing permission.
  if (severity === 'FATAL') return new DatabaseUnavailableError(`FATAL_${code}`);
  return new DatabaseError(code);
}

/**
 * Returns the code and the severity of an error or of its cause, because drizzle wraps the errors of
 * the driver.
 */
function failureOf(error: unknown): { code: string; severity?: unknown } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') {
      return { code: cause.code, severity: 'severity' in cause ? cause.severity : undefined };
    }
  }
  return { code: 'unknown' };
}
