import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The mark of Linux's file system in memory: statfs(2), `TMPFS_MAGIC`. */
const tmpfs = 0x01021994;

/** Room for the databases of all test files that run at the same time, several times over. */
const leastBytes = 2 * 2 ** 30;

/**
 * Finds a directory for data that a test throws away: in memory, if this system has enough of it there.
 *
 * A database is a thousand small files. On a disk, creating and deleting them took a quarter of all
 * processor time of the server's tests. Not for programs: it may be mounted with `noexec`.
 */
export function memoryDirectory(otherwise = tmpdir()): string {
  const candidate = '/dev/shm';
  try {
    const { type, bavail, bsize } = statfsSync(candidate);
    if (type === tmpfs && bavail * bsize >= leastBytes) return candidate;
  } catch {
    // Not Linux.
  }
  return otherwise;
}
