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
 * Returns whether the mode is private. Postgres also accepts 0750, for backups by the group. Here,
 * the group could read no file, but it could reach the socket.
 */
const tooOpen = 0o077;

/**
 * Creates the data directory, or checks that an existing one is private to this user. The directory
 * contains the database, and the socket that accepts commands without a token.
 *
 * @throws {StartupError} if others can read or change it, or this process cannot.
 */
export function prepareDataDir(path: string): void {
  makeDirectory(path);
  prepareAccess(path);
  try {
    // This happens on a read-only file system, as in a container without a volume at this path.
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `DATA_DIR: cannot write to ${path} (${code}). Mount a volume there, choose another DATA_DIR, or set DATABASE_URL.`,
    );
  }
}

/**
 * Checks the owner and the mode of the directory.
 *
 * @throws {StartupError} if others can read or change the directory.
 */
function prepareAccess(path: string): void {
  const user = process.geteuid?.();
  // Windows has no owners and modes of this kind.
  if (user === undefined) return;
  const { uid, mode } = statSync(path);
  if (uid !== user) {
    throw new StartupError(
      `DATA_DIR: ${path} belongs to the user with id ${uid}, and this is ${user}. Choose a directory that does not exist yet, or run: chown -R ${user} '${path}'`,
    );
  }
  if ((mode & tooOpen) === 0) return;
  // An empty directory, such as a new volume, contains nothing to steal. A directory with files may
  // be in use by others.
  if (readdirSync(path).length === 0) {
    chmodSync(path, 0o700);
    return;
  }
  throw new StartupError(
    `DATA_DIR: other users can read or change ${path}. Run: chmod 700 '${path}'`,
  );
}

/**
 * Creates a directory and its missing parents, only for this user.
 *
 * It does not use the option `recursive` of `mkdir`, which never returns for /proc/x (tried on Node
 * 24.21).
 */
function makeDirectory(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another server that starts at this moment has created it.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
