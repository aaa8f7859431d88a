// This index exports nothing that opens a database. `./open-postgres` and `./open-embedded` are
// separate entries, so that a process loads only one driver.

export { runForAll, runUntilAbandoned } from './abandoned-request.ts';
export { type Outage, watchAvailability } from './availability.ts';
export type { Database, DatabaseAddress, Listening, OpenDatabase, Wait } from './database.ts';
export {
  DatabaseError,
  DatabaseUnavailableError,
  StatementTooSlowError,
  unlessUnavailable,
} from './database-error.ts';
export { faultOf } from './database-fault.ts';
export {
  type DatabaseLimits,
  type DatabaseOptions,
  type DatabasePlace,
  defaultDatabaseLimits,
  defaultPlace,
  type MigrationOptions,
} from './database-settings.ts';
export { createDatabaseCheck } from './migration-check.ts';
export { probeDatabase } from './probe-database.ts';
export {
  execution,
  inTransaction,
  oneRow,
  preparedSql,
  preparedStatement,
  Rollback,
  requestTable,
  type StatementContext,
  statement,
} from './statement.ts';
