import './resolve-drizzle.ts';
import { StartupError, stopOnSignals } from '@animal-store/runtime';

// The program migrates the database at DATABASE_URL and exits. Run it before you deploy a new
// version. Otherwise the first replica of the new version migrates the database when it starts.

// In a container, this program is process 1, which ignores signals that it has no handler for.
const stops = stopOnSignals();
// A signal exits with this code. An interrupted migration must not count as complete.
process.exitCode = 1;

try {
  const [{ readConfig }, { migratePostgres }, { migrationOptions }] = await Promise.all([
    import('./config.ts'),
    import('@animal-store/postgres/migrate-postgres'),
    import('./schema/migration-options.ts'),
  ]);
  const { database } = readConfig();
  if (database.place.kind !== 'postgres') {
    throw new StartupError(
      'DATABASE_URL: expected postgres://user:password@host/name. This program migrates only Postgres. The server migrates its embedded database itself when it starts.',
    );
  }
  let waitedFor: string | undefined;
  await migratePostgres(database.place.url, {
    ...migrationOptions,
    onWaiting(wait) {
      if (wait === undefined || wait.id === waitedFor) return;
      waitedFor = wait.id;
      process.stderr.write(`${wait.reason}\n`);
    },
  });
  process.stdout.write('The database has all migrations.\n');
  process.exitCode = 0;
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  stops.failStart(error.message);
}
