import { maxOpenFiles, StartupError } from '@animal-store/runtime';

/**
 * The smallest `ulimit -n` with which the service starts. With the embedded database, an idle
 * service has 167 files open, and its first start fails with a limit of 160. With Postgres, it would
 * refuse all connections with a limit below 40.
 */
const leastOpenFiles = { embedded: 256, postgres: 64 };

/**
 * Checks that the process may open enough files. Otherwise, the embedded database would fail with
 * an error that does not name the reason, or the public port would refuse all connections.
 *
 * @throws {StartupError} if the limit is too low.
 */
export function checkOpenFiles(
  database: keyof typeof leastOpenFiles,
  limit: number = maxOpenFiles(),
): void {
  const least = leastOpenFiles[database];
  if (limit >= least) return;
  throw new StartupError(
    `ulimit -n: this process may open only ${limit} files and connections, and the service needs at least ${least}. Raise the limit, for example with ulimit -n 65536`,
  );
}
