import { statementChannel } from './statement-channel.ts';

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
}

// SQLSTATE classes (Postgres manual, appendix A): 08 connection exception, 53 insufficient
// resources, 57 operator intervention (shutdown, statement timeout); 55P03 lock not available.
// The words are postgres.js's and Node's codes for a connection that failed or was lost.
const unavailable = /^(?:08|53|57)|^55P03$|^(?:CONNECT|CONNECTION)_|^E[A-Z]+$/;

/**
 * Turns a driver's error into ours, where it arises.
 *
 * drizzle puts the statement and its parameters into the message, and Postgres may repeat values in
 * its own; both may hold what a caller sent, and neither may reach a log or an answer.
 *
 * @param name what metrics and traces call the statement; one of few, whatever callers send.
 */
export function translateErrors<T>(statement: PromiseLike<T>, name = 'unnamed'): Promise<T> {
  return statementChannel.tracePromise(() => translate(statement), { statement: name });
}

async function translate<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    const code = codeOf(error);
    throw unavailable.test(code) ? new DatabaseUnavailableError(code) : new DatabaseError(code);
  }
}

function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return 'unknown';
}
