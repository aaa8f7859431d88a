import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StartupError } from '@animal-store/runtime';

/**
 * The mode bits that give access to the group and to other users. A directory with one of these
 * bits is refused. Postgres itself accepts 0750, so that a group can back up the files of Postgres.
 * But in a data directory of this service, the group could send admin commands through the socket.
 */
const otherUsersBits = 0o077;

/**
 * Creates the data directory, or checks that an existing one is private to this user. The directory
 * contains the database, and a socket that accepts admin commands without a token.
 *
 * @throws {StartupError} if the directory belongs to another user, if other users can read or
 *   change its files, or if this process cannot write to it.
 */
export function prepareDataDir(path: string): void {
  makeDirectory(path);
  prepareAccess(path);
  try {
    // The check fails on a read-only file system, for example in a container without a volume at
    // this path.
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `DATA_DIR: cannot write to ${path} (${code}). In a container, mount a volume there. Elsewhere, choose another DATA_DIR. To use Postgres instead, set DATABASE_URL.`,
    );
  }
}

/**
 * Checks the owner and the mode of the directory.
 *
 * @throws {StartupError} if the directory belongs to another user, or if it has files that other
 *   users can read or change.
 */
function prepareAccess(path: string): void {
  const user = process.geteuid?.();
  // Windows has no user ids and no such modes, so there is nothing to check.
  if (user === undefined) return;
  const { uid, mode } = statSync(path);
  if (uid !== user) {
    throw new StartupError(
      `DATA_DIR: ${path} belongs to the user with id ${uid}, but this process has the user id ${user}. Choose a directory that does not exist yet, or run: chown -R ${user} '${path}'`,
    );
  }
  if ((mode & otherUsersBits) === 0) return;
  // The mode of an empty directory, such as a new volume, is changed, because the directory
  // contains nothing to steal. The mode of a directory with files is not changed, because other
  // programs may use the directory.
  if (readdirSync(path).length === 0) {
    chmodSync(path, 0o700);
    return;
  }
  throw new StartupError(
    `DATA_DIR: other users can read or change ${path}. Run: chmod 700 '${path}'`,
  );
}

/**
 * Creates a directory and its missing parent directories, with access only for this user.
 *
 * The option `recursive` of `mkdir` is not used, because it never returns for /proc/x (tested with
 * Node 24.21).
 */
function makeDirectory(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // The directory exists if another process that starts at the same moment has just created it.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
