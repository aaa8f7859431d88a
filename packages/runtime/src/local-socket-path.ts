import { hash } from 'node:crypto';
import { openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EnvironmentReader } from './environment-reader.ts';
import { StartupError } from './startup-error.ts';

/**
 * The largest path in `sockaddr_un`: 107 bytes on Linux and 103 on macOS. A longer one is cut or
 * refused.
 */
const maxSocketPathBytes = 103;

/**
 * Returns the path of the socket where an embedded server accepts commands from its own user.
 *
 * The file system decides who may connect, and who may listen: the data directory belongs to that
 * user alone. A port has no such owner. After `kill -9`, any local user could listen on it, and in
 * one case the CLI sent the admin token to another user's program.
 *
 * @throws {StartupError} if the path is too long and the platform offers no shorter one.
 */
export function localSocketPath(dataDir: string): string {
  // Windows has a separate namespace for pipes. Only their creator and administrators may write to
  // a pipe that Node has created.
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\animal-store-${hash('sha256', dataDir, 'hex')}`;
  }
  const path = join(dataDir, 'ops.sock');
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return path;
  if (process.platform === 'linux') {
    // This is a short name for a long path. The directory stays open, because the name is valid
    // only while it is open.
    return `/proc/self/fd/${openSync(dataDir, 'r')}/ops.sock`;
  }
  throw new StartupError(
    `DATA_DIR: expected at most ${maxSocketPathBytes - '/ops.sock'.length} bytes, because a Unix socket's path cannot be longer`,
  );
}

/**
 * Returns whether a text is a path as it stands. Only a shell replaces `~` and `$HOME`: in an
 * `.env` file, each would be the name of a new directory. A blank at an end is a mistake.
 */
const isPath = (text: string) => text === text.trim() && !/^~(?:\/|$)|^\$|\p{Cc}/u.test(text);

/** Returns the directory of the embedded server, with its data and its socket: `DATA_DIR`. */
export const readDataDir = (env: EnvironmentReader): string =>
  resolve(env.text('DATA_DIR', isPath, 'a path, without ~ or a variable before it') ?? '.data');
