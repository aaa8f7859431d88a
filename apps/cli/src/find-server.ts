import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAdminToken } from '@animal-store/admin-contract';
import { localSocketPath, StartupError } from '@animal-store/runtime';
import { readCliSettings } from './cli-settings.ts';

/** An error whose message is shown to the operator without a stack trace. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

export type ServerAccess =
  /**
   * The embedded server of this user. The server requires no token, because only this user can open
   * its socket.
   */
  | { readonly name: string; readonly socketPath: string }
  | { readonly name: string; readonly url: string; readonly token: string };

/**
 * Finds the server that commands call. Options take precedence over environment variables. If
 * neither specifies a server, the function returns the embedded server that uses `DATA_DIR`.
 *
 * @throws {CliError} if a URL is given without a token, if the token file is missing or invalid,
 *   or if the socket of the embedded server is missing or belongs to another user.
 */
export function findServer(options: {
  url?: string | undefined;
  tokenFile?: string | undefined;
}): ServerAccess {
  const settings = readCliSettings();
  const token =
    options.tokenFile === undefined ? settings.adminToken : readToken(options.tokenFile);
  const { dataDir, opsUrl, ownUrl } = settings;
  // In a container, `ADMIN_TOKEN` is set for the service, and the CLI reads the same variable. If
  // no URL is given, the CLI then calls the service on the ops port from the service's settings.
  const url = options.url ?? opsUrl ?? (token === undefined ? undefined : ownUrl);
  if (url !== undefined) {
    if (token !== undefined) return { name: url, url, token };
    throw new CliError(
      `There is no admin token for ${url}. Set ADMIN_TOKEN, or pass --token-file.`,
    );
  }
  return { name: dataDir, socketPath: findOwnSocket(dataDir) };
}

/**
 * Returns the path of the server's socket. Checks before a request that this user owns the socket.
 * Otherwise another user could run a fake server on the socket. Root may use any socket.
 */
function findOwnSocket(dataDir: string): string {
  // The path of the socket in a message is complete. The path that the CLI uses may be shortened.
  const shownPath = join(dataDir, 'ops.sock');
  const user = process.geteuid?.();
  let socketPath: string;
  let owner: number;
  try {
    socketPath = localSocketPath(dataDir);
    // Windows has no user ids, so the CLI cannot compare the owner of the socket with the user.
    if (user === undefined) return socketPath;
    owner = statSync(socketPath).uid;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new CliError(
      code === 'ENOENT'
        ? `No server uses the directory ${dataDir}. If the server is stopped, start it (npm start). If it uses another directory, set DATA_DIR to that directory. If it runs on another machine, set OPS_URL and ADMIN_TOKEN.`
        : `The socket ${shownPath} cannot be used: ${code}. Check that DATA_DIR is the data directory of the server.`,
    );
  }
  if (owner !== user && user !== 0)
    throw new CliError(
      `The socket ${shownPath} belongs to another user. Run the command as that user. If you cannot, set OPS_URL and ADMIN_TOKEN to use the network.`,
    );
  return socketPath;
}

function readToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new CliError(
      `The token file ${file} cannot be read: ${code}. Check the path in --token-file.`,
    );
  }
  if (isAdminToken(token)) return token;
  // The message does not repeat the content of the file, because it may be another secret.
  throw new CliError(
    `The token file ${file} contains no valid admin token. A token has 16 to 256 visible ASCII characters. Check the path in --token-file.`,
  );
}
