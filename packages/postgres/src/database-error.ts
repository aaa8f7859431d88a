import { faultOf } from './database-fault.ts';

/**
 * An error of a statement. It contains the SQLSTATE. It never contains the SQL, its parameters or
 * the driver's message, because they may contain data of callers.
 */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError';
  /** The SQLSTATE (five characters), or a code of the driver. */
  readonly code: string;
  /**
   * The name of the connection pool, or `undefined` for the embedded database, which has no pools.
   */
  pool: string | undefined;
  /** The error of the first attempt, if the statement was already tried on another pool. */
  earlier: DatabaseError | undefined;

  constructor(code: string) {
    super(`The database refused a statement (${code}).`);
    this.code = code;
  }

  /**
   * Returns a text for the log about all pools that were tried, and how each failed, such as "reads
   * ENOTFOUND, requests ECONNREFUSED".
   */
  get attempts(): string {
    const last = [this.pool, this.code.replaceAll(/\W/g, '')].filter(Boolean).join(' ');
    return this.earlier === undefined ? last : `${this.earlier.attempts}, ${last}`;
  }
}

/**
 * An error of a statement that failed because the database could not be reached, or was too busy. A
 * retry may succeed.
 */
export class DatabaseUnavailableError extends DatabaseError {
  override readonly name = 'DatabaseUnavailableError';
  /**
   * The wait in seconds for the `Retry-After` header. The error mapper responds to this error with
   * a 503.
   */
  readonly retryAfterSeconds = 1;

  /**
   * Returns whether the statement failed because no connection could be opened. The statement may
   * then succeed on another pool, which may have an open connection.
   */
  get isUnconnected(): boolean {
    return /^(?:ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED|53300)$/.test(this.code);
  }
}

/**
 * An error of an operator's statement that exceeded its timeout, or that was canceled because the
 * operator has disconnected. It is not an outage, because requests of callers use other
 * connections.
 */
export class StatementTooSlowError extends DatabaseError {
  override readonly name = 'StatementTooSlowError';
}

/** The code of a statement that got no response within the service's own timeout. */
export const noResponse = 'NO_ANSWER';

/** The SQLSTATE of a statement that was canceled, or that exceeded `statement_timeout`. */
export const queryCanceled = '57014';

/**
 * Creates a reporter for the errors of background work. The reporter ignores errors of an
 * unavailable database, because metrics already count these. A log line for each such error would
 * fill the log during an outage.
 */
export const unlessUnavailable = (report: (failure: unknown) => void) => (failure: unknown) => {
  if (!(failure instanceof DatabaseUnavailableError)) report(failure);
};

/** The SQLSTATE of a write to a standby or to a read-only database. */
export const readOnly = '25006';

/** The SQLSTATE of a connection that is refused because there are too many. */
const noConnectionLeft = '53300';

/** The SQLSTATE of a statement that exceeded `lock_timeout`. */
export const lockNotAvailable = '55P03';

/** The code of a result with missing rows, or with rows that belong to another statement. */
export const incompleteAnswer = 'INCOMPLETE';

/**
 * Converts an error of the driver or of drizzle to an error without data of callers.
 *
 * drizzle puts the SQL and its parameters into the message, and Postgres may repeat values in its
 * own message. Data of a caller must not reach a log or a response.
 */
export function toDatabaseError(error: unknown): DatabaseError {
  const { code, severity } = failureOf(error);
  if (faultOf(code).remedy !== 'statement') return new DatabaseUnavailableError(code);
  // With the severity FATAL, Postgres has ended the session or refused to begin one, so the
  // statement is not the cause. The code gets a prefix, because a failed statement may have the
  // same SQLSTATE, for example for a missing permission.
  if (severity === 'FATAL') return new DatabaseUnavailableError(`FATAL_${code}`);
  return new DatabaseError(code);
}

/**
 * Matches the messages of PgBouncer when `max_client_conn` is reached, or when a client has waited
 * too long for a session. PgBouncer reports nearly all errors with the code 08P01.
 */
const poolerIsFull = /^(?:no more connections allowed|query_wait_timeout)/;

/**
 * Returns the code and the severity of an error or of its causes. drizzle wraps the errors of the
 * driver, so the code and the severity are in a cause.
 */
function failureOf(error: unknown): { code: string; severity?: unknown } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') {
      if (poolerIsFull.test(cause.message)) return { code: noConnectionLeft };
      return { code: cause.code, severity: 'severity' in cause ? cause.severity : undefined };
    }
  }
  return { code: 'unknown' };
}
