/**
 * What can resolve a failure:
 * - `connection`: another connection, perhaps to another host
 * - `time`: a retry later, when the database has time or space again
 * - `settings`: a change of the settings
 * - `statement`: only a different statement, because the database itself is available
 */
type Remedy = 'connection' | 'time' | 'settings' | 'statement';

/**
 * The failures that mean that the database is unavailable, with the pattern of their code. A code
 * is an SQLSTATE (Postgres manual, appendix A), or a code of postgres.js or Node for a failed
 * connection. `NO_ANSWER` and `INCOMPLETE` are codes of this service.
 *
 * The log and `/readyz` show only the sentences of this table. The driver's own messages may
 * contain an address, a user or a value. `docs/operating.md` says what to do about each failure.
 */
const faults: readonly (readonly [code: RegExp, remedy: Remedy, reason: string])[] = [
  [/^25006$/, 'connection', 'The database is read-only.'],
  [/^53100$/, 'time', 'The disk of the database is full.'],
  [/^53200$/, 'time', 'The database is out of memory.'],
  [/^53300$/, 'connection', 'The database has no connection left.'],
  [/^53400$/, 'time', 'A limit in the settings of the database was exceeded.'],
  [/^57014$/, 'time', 'A statement took longer than the database allows.'],
  [/^55P03$/, 'time', 'A lock of the database was not available.'],
  [/^57P0[12]$/, 'connection', 'The database is shutting down.'],
  [/^57P03$/, 'connection', 'The database is starting.'],
  [/^28...$/, 'settings', 'The database refuses the user or the password.'],
  [/^3D...$/, 'settings', 'The database does not exist.'],
  [/^ECONNREFUSED$/, 'connection', 'The database refuses connections.'],
  // Postgres returns the code 55000 with the severity FATAL when the owner of the database allows
  // no connections.
  [/^FATAL_55000$/, 'connection', 'The database refuses connections.'],
  [/^FATAL_/, 'settings', 'The database refuses connections.'],
  [/^(?:ENOTFOUND|EAI_[A-Z]+)$/, 'connection', 'The name of the database cannot be resolved.'],
  [/^(?:ETIMEDOUT|CONNECT_TIMEOUT|NO_ANSWER)$/, 'connection', 'The database does not respond.'],
  [/^08P01$/, 'connection', 'A pooler such as PgBouncer refuses the connection.'],
  [
    /^(?:08...|ECONNRESET|EPIPE|CONNECTION_.*)$/,
    'connection',
    'The connection to the database was lost.',
  ],
  [/^INCOMPLETE$/, 'connection', 'A response of the database was incomplete.'],
  [
    /^(?:SASL|CERT|ERR_SSL|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)_/,
    'settings',
    'The database cannot be reached.',
  ],
  // This pattern matches the remaining codes of three classes of SQLSTATEs (insufficient resources,
  // operator intervention, system error), and the codes of Node.
  [/^(?:53|57|58)...$|^CONNECT_|^E[A-Z]+$/, 'connection', 'The database cannot be reached.'],
];

/** Returns the meaning of a failure of the database, by its code. */
export function faultOf(code: string): { remedy: Remedy; reason: string } {
  for (const [pattern, remedy, reason] of faults) {
    if (pattern.test(code)) return { remedy, reason };
  }
  return { remedy: 'statement', reason: 'The database refused a statement.' };
}
