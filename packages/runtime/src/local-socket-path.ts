import { hash } from 'node:crypto';
import { openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EnvironmentReader } from './environment-reader.ts';
import { StartupError } from './startup-error.ts';

/** `sockaddr_un` holds 107 bytes of a path on Linux and 103 on macOS; a longer one is cut or refused. */
const maxSocketPathBytes = 103;

/**
 * The path of the socket on which an embedded server takes commands from its own user.
 *
 * The file system decides who may connect, and who may listen: the data directory belongs to that user
 * alone. A port has no such owner. After `kill -9` any local user could listen on it, and was once sent
 * the admin token by the CLI.
 *
 * @throws {StartupError} if the path is too long and the platform offers no shorter one.
 */
export function localSocketPath(dataDir: string): string {
  // Windows names pipes in a space of their own. Only their creator and administrators may write to
  // one that Node has made.
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\animal-store-${hash('sha256', dataDir, 'hex')}`;
  }
  const path = join(dataDir, 'ops.sock');
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return path;
  if (process.platform === 'linux') {
    // A short name for a long path. The directory stays open, because the name is valid only while it is.
    return `/proc/self/fd/${openSync(dataDir, 'r')}/ops.sock`;
  }
  throw new StartupError(
    `DATA_DIR: expected at most ${maxSocketPathBytes - '/ops.sock'.length} bytes, because a Unix socket's path cannot be longer`,
  );
}

/** The directory of the embedded server, which holds its data and its socket: `DATA_DIR`. */
export const readDataDir = (env: EnvironmentReader): string =>
  resolve(env.text('DATA_DIR', (text) => !text.includes('\0'), 'a path') ?? '.data');
