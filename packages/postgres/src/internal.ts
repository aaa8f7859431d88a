// These exports of the package are only for the tests of `apps/server`.

export { findPostgres } from './find-postgres.ts';
export type { Address } from './postgres-socket.ts';
export { readPostgresUrl } from './postgres-url.ts';
export { checkOwnSessions, poolerFault, sessionSettings } from './session-settings.ts';
export { followStatements } from './statement.ts';
