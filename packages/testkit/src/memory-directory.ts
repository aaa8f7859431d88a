import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The number by which Linux marks its file system in memory (`TMPFS_MAGIC` of statfs(2)). */
const tmpfs = 0x01021994;

/**
 * The space that the directory must have: several times the size of the databases of all test files
 * that run at the same time.
 */
const leastBytes = 2 * 2 ** 30;

/**
 * Returns a directory for the temporary data of tests. The directory is in memory if the memory of
 * this system has enough space.
 *
 * A database consists of a thousand small files. On a disk, creating and deleting them took a
 * quarter of the CPU time of the server's tests. Do not use the directory for programs, because it
 * may be mounted with `noexec`.
 */
export function memoryDirectory(otherwise = tmpdir()): string {
  const candidate = '/dev/shm';
  try {
    const { type, bavail, bsize } = statfsSync(candidate);
    if (type === tmpfs && bavail * bsize >= leastBytes) return candidate;
  } catch {
    // `statfsSync` fails if this system is not Linux, because only Linux has `/dev/shm`.
  }
  return otherwise;
}
