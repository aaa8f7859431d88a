import { hash } from 'node:crypto';
import { openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EnvironmentReader } from './environment-reader.ts';
import { StartupError } from './startup-error.ts';

/**
 * The maximum length of a Unix socket's path in bytes: 107 on Linux and 103 on macOS
 * (`sockaddr_un`). The system cuts or refuses a longer path.
 */
const maxSocketPathBytes = 103;

/**
 * Returns the path of the socket on which an embedded server accepts commands from its own user.
 *
 * The data directory belongs to that user alone, so the file system protects the socket. A port has
 * no such protection. After `kill -9` of the server, any local user could listen on its port, and
 * the CLI would send the admin token to another user's program.
 *
 * @throws {StartupError} if the path is too long, and the platform offers no shorter one.
 */
export function localSocketPath(dataDir: string): string {
  // Windows has named pipes instead of Unix sockets. Only the creator and administrators may write
  // to a pipe that Node has created.
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\animal-store-${hash('sha256', dataDir, 'hex')}`;
  }
  const path = join(dataDir, 'ops.sock');
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return path;
  if (process.platform === 'linux') {
    // On Linux, `/proc/self/fd/N` is a short path of an open directory. The path is valid only
    // while the directory is open, so this code never closes the directory.
    return `/proc/self/fd/${openSync(dataDir, 'r')}/ops.sock`;
  }
  throw new StartupError(
    `DATA_DIR: expected at most ${maxSocketPathBytes - '/ops.sock'.length} bytes, because a Unix socket's path cannot be longer`,
  );
}

/**
 * Returns whether a text can be used as a path without a shell. Only a shell replaces `~` and
 * `$HOME`. In an `.env` file, such a text would become the name of a new directory. White space at
 * the beginning or the end is a mistake.
 */
const isPath = (text: string) => text === text.trim() && !/^~(?:\/|$)|^\$|\p{Cc}/u.test(text);

/**
 * Returns the directory of the embedded server, which contains its data and its socket (the setting
 * `DATA_DIR`).
 */
export const readDataDir = (env: EnvironmentReader): string =>
  resolve(
    env.text('DATA_DIR', isPath, 'a path without ~ or a variable at its beginning') ?? '.data',
  );
