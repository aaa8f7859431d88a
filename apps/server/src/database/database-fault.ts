/**
 * What failures of the database mean, by their code. These sentences are all that the log and `/readyz`
 * say: the driver's own messages may hold an address, a user or a value. `docs/operating.md` has what to do
 * about each.
 */
const faults: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^25006$/, 'The database is read-only.'],
  [/^53100$/, 'The disk of the database is full.'],
  [/^53200$/, 'The database is out of memory.'],
  [/^53[34]00$/, 'The database has no connection left.'],
  [/^57014$/, 'A statement took longer than the database allows.'],
  [/^55P03$/, 'A lock of the database was not available.'],
  [/^57P0[12]$/, 'The database is shutting down.'],
  [/^57P03$/, 'The database is starting.'],
  [/^28/, 'The database refuses the user or the password.'],
  [/^3D/, 'The database does not exist.'],
  [/^ECONNREFUSED$/, 'The database refuses connections.'],
  [/^(?:ENOTFOUND|EAI_[A-Z]+)$/, 'The name of the database cannot be resolved.'],
  [/^(?:ETIMEDOUT|CONNECT_TIMEOUT|NO_ANSWER)$/, 'The database does not answer.'],
  [/^(?:08|ECONNRESET|EPIPE|CONNECTION_)/, 'The connection to the database was lost.'],
  [/^INCOMPLETE$/, 'An answer of the database was incomplete.'],
];

/** Says in a sentence what a failure of the database means. */
export function faultOf(code: string): string {
  return faults.find(([pattern]) => pattern.test(code))?.[1] ?? 'The database cannot be reached.';
}
