import { errorText, maxAddressBytes } from '@animal-store/runtime';

/** Matches the messages of V8 and Emscripten when memory cannot be allocated. */
const outOfMemory = /allocat.* memory|allocation failed|out of memory|\bOOM\b|enlarge memory/i;

/**
 * Returns why PGlite could not open a database, and what to do.
 *
 * @param options.hadDatabase whether the directory contained a database before the attempt.
 * @param options.postgresError the last error that Postgres wrote to its log. PGlite itself only
 *   throws `Aborted()`.
 */
export function describeEmbeddedFault(
  error: unknown,
  options: {
    hadDatabase: boolean;
    postgresError: string | undefined;
    /** @default {@link maxAddressBytes} */
    addressBytes?: number;
  },
): string {
  const { hadDatabase, postgresError, addressBytes = maxAddressBytes() } = options;
  // The file system of WebAssembly may throw objects that are not errors.
  const reason = postgresError ?? (error instanceof Error ? errorText(error) : 'unreadable files');
  if (outOfMemory.test(reason)) {
    return Number.isFinite(addressBytes)
      ? `there is not enough memory (${reason}). WebAssembly reserves large ranges of addresses, and ulimit -v limits them to ${Math.floor(addressBytes / 1e6)} MB. Run: ulimit -v unlimited`
      : `there is not enough memory (${reason}). Give the process 640 MB, or set DATABASE_URL to use Postgres`;
  }
  // Errors of the operating system, such as a missing permission, are no sign of damaged files.
  const isSystemError = error instanceof Error && 'code' in error;
  if (!hadDatabase || isSystemError) return reason;
  return `its database is damaged, or needs another version of Postgres (${reason}). No data was deleted. Restore a backup of the directory, or set DATA_DIR to a new directory to start with an empty database`;
}

/** Returns the message of a line in the log of Postgres that reports why Postgres has stopped. */
export function readPostgresError(line: string): string | undefined {
  return /\b(?:FATAL|PANIC): {2}(.*)/.exec(line)?.[1];
}
