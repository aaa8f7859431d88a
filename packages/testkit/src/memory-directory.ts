import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The magic number of Linux's file system in memory: statfs(2), `TMPFS_MAGIC`. */
const tmpfs = 0x01021994;

/** The required space: several times the databases of all test files that run at the same time. */
const leastBytes = 2 * 2 ** 30;

/**
 * Returns a directory for temporary data of tests: in memory, if this system has enough space
 * there.
 *
 * A database consists of a thousand small files. On a disk, creating and deleting them took a
 * quarter of all processor time of the server's tests. Do not use the directory for programs,
 * because it may be mounted with `noexec`.
 */
export function memoryDirectory(otherwise = tmpdir()): string {
  const candidate = '/dev/shm';
  try {
    const { type, bavail, bsize } = statfsSync(candidate);
    if (type === tmpfs && bavail * bsize >= leastBytes) return candidate;
  } catch {
    // This system is not Linux.
  }
  return otherwise;
}
