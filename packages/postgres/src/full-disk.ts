import { type StatsFs, statfsSync } from 'node:fs';

const bytesPerMegabyte = 1_000_000;

/**
 * The free space below which a disk counts as full. When PGlite fails to create a file because of a
 * full disk, a few megabytes may still be free: one file of its write-ahead log has 16 MiB.
 */
const fullBelowBytes = 17 * bytesPerMegabyte;

/** The space that a new embedded database needs, rounded up. It takes 40 MB. */
const neededMegabytes = 64;

/**
 * Returns why the embedded database in a directory cannot be opened if the disk of the directory is
 * full, otherwise `undefined`. On a full disk, PGlite fails with errors that do not name the reason.
 */
export function describeFullDisk(
  directory: string,
  readDisk: (path: string) => Pick<StatsFs, 'bavail' | 'bsize'> = statfsSync,
): string | undefined {
  const free = freeBytes(directory, readDisk);
  if (free >= fullBelowBytes) return undefined;
  const megabytes = Math.floor(free / bytesPerMegabyte);
  return `its disk is full (${megabytes} MB are free). Free at least ${neededMegabytes} MB, and start the service again`;
}

/** Returns the free space, or `Infinity` if it is not known, because the directory does not exist. */
function freeBytes(...[directory, readDisk]: Required<Parameters<typeof describeFullDisk>>) {
  try {
    const { bavail, bsize } = readDisk(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
