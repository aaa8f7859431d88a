/** A statement that failed. Carries the SQLSTATE, never the statement, its parameters or their text. */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError';
  /** The five-character SQLSTATE, or the driver's own code. */
  readonly code: string;

  constructor(code: string) {
    super(`The database refused a statement (${code}).`);
    this.code = code;
  }
}

/** The database cannot be reached, or is too busy to answer: trying again later may help. */
export class DatabaseUnavailableError extends DatabaseError {
  override readonly name = 'DatabaseUnavailableError';
  /** Turns the response into a 503. */
  readonly retryAfterSeconds = 1;
}

/** SQLSTATE of a write to a standby, or to a database that is set to read-only. */
export const readOnly = '25006';

/** The code of an answer of the database that lacks rows, or has those of another statement. */
export const incompleteAnswer = 'INCOMPLETE';

// SQLSTATE classes (Postgres manual, appendix A): 08 connection exception, 28 invalid authorization, 3D
// invalid catalog name, 53 insufficient resources, 57 operator intervention (shutdown, statement timeout), 58
// system error; 25006 read-only transaction, 55P03 lock not available. The words are codes of postgres.js and
// Node for a connection that failed, was refused or was lost, and our own two.
const unavailable =
  /^(?:08|28|3D|53|57|58)...$|^(?:25006|55P03)$|^(?:CONNECT|CONNECTION|SASL|CERT|ERR_SSL|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)_|^E[A-Z]+$|^EAI_[A-Z]+$|^NO_ANSWER$|^INCOMPLETE$/;

/** The database answers, and only refuses this statement: it has no time or space for it. */
const refusedStatement = /^(?:53100|53200|55P03|57014)$/;

/** The user, the password, the name of the database or its certificate: waiting does not help. */
const misconfigured =
  /^(?:28|3D)...$|^(?:SASL|CERT|ERR_SSL|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)_/;

/** Whether a failure is about the connection, so that another one may work, or another host. */
export function isConnectionFault({ code }: DatabaseUnavailableError): boolean {
  return !refusedStatement.test(code);
}

/** Whether a failure ends a start: the database is unavailable because of the settings. */
export function isMisconfigured({ code }: DatabaseUnavailableError): boolean {
  return misconfigured.test(code);
}

/**
 * Translates an error of the driver or of drizzle.
 *
 * drizzle puts the statement and its parameters into the message, and Postgres may repeat values in
 * its own. Both may hold what a caller sent, and neither may reach a log or a response.
 */
export function toDatabaseError(error: unknown): DatabaseError {
  const code = codeOf(error);
  return unavailable.test(code) ? new DatabaseUnavailableError(code) : new DatabaseError(code);
}

/** The code of an error or of the error that caused it: drizzle wraps those of the driver. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return 'unknown';
}
