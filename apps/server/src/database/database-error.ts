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

/**
 * How long a statement may take, its wait for a connection included. It ends later than Postgres's
 * own limit (`statement_timeout`), which also stops the work; this one is for a Postgres that does
 * not answer at all, for which the driver would wait for ever.
 */
export const answerWithinMs = 6_000;

// SQLSTATE classes (Postgres manual, appendix A): 08 connection exception, 53 insufficient
// resources, 57 operator intervention (shutdown, statement timeout); 55P03 lock not available.
// The words are postgres.js's and Node's codes for a connection that failed or was lost.
const unavailable = /^(?:08|53|57)|^55P03$|^(?:CONNECT|CONNECTION)_|^E[A-Z]+$|^EAI_[A-Z]+$/;

/**
 * Turns a driver's error into ours, where it arises, and a driver's silence into an error.
 *
 * drizzle puts the statement and its parameters into the message, and Postgres may repeat values in
 * its own; both may hold what a caller sent, and neither may reach a log or an answer.
 *
 * @param name what metrics and traces call the statement; one of few, whatever callers send.
 */
export function translateErrors<T>(statement: PromiseLike<T>, name: string): Promise<T> {
  return statementChannel.tracePromise(() => translate(statement), { statement: name });
}

async function translate<T>(statement: PromiseLike<T>): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.reject(new DatabaseUnavailableError('NO_ANSWER'));
  }, answerWithinMs);
  try {
    return await Promise.race([statement, deadline.promise]);
  } catch (error) {
    // A statement within a transaction has been here already.
    if (error instanceof DatabaseError) throw error;
    const code = codeOf(error);
    throw unavailable.test(code) ? new DatabaseUnavailableError(code) : new DatabaseError(code);
  } finally {
    clearTimeout(timer);
  }
}

function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return 'unknown';
}
