import { readFileSync, statSync } from 'node:fs';
import { isAdminToken } from '@animal-store/admin-contract';
import { localSocketPath } from '@animal-store/runtime';
import { readCliSettings } from './cli-settings.ts';

/** Why a command failed, as a message for the operator, which is shown without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

export type ServerAccess =
  /** The embedded server of this user. Only this user can use its socket, so it needs no token. */
  | { readonly name: string; readonly socketPath: string }
  | { readonly name: string; readonly url: string; readonly token: string };

/**
 * Finds the server: the one in the options or the environment, otherwise the embedded server that
 * runs on `DATA_DIR`.
 *
 * @throws {CliError} if a URL is given without a token, or the token's file cannot be used.
 */
export function findServer(options: {
  url?: string | undefined;
  tokenFile?: string | undefined;
}): ServerAccess {
  const settings = readCliSettings();
  const token =
    options.tokenFile === undefined ? settings.adminToken : readToken(options.tokenFile);
  const { dataDir, opsUrl, ownUrl } = settings;
  // In a container that has the `ADMIN_TOKEN` of the service, the service's own port is the default
  // address.
  const url = options.url ?? opsUrl ?? (token === undefined ? undefined : ownUrl);
  if (url !== undefined) {
    if (token !== undefined) return { name: url, url, token };
    throw new CliError(
      `There is no admin token for ${url}. Set ADMIN_TOKEN, or give --token-file.`,
    );
  }
  const socketPath = localSocketPath(dataDir);
  requireOwnSocket(socketPath, dataDir);
  return { name: dataDir, socketPath };
}

/**
 * Checks, before anything is sent, that the socket belongs to this user. Root may use any socket.
 */
function requireOwnSocket(socketPath: string, dataDir: string): void {
  const user = process.geteuid?.();
  // Windows has no owner to compare.
  if (user === undefined) return;
  let owner: number;
  try {
    owner = statSync(socketPath).uid;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new CliError(
      code === 'ENOENT'
        ? `No server runs on ${dataDir}. Start it (npm start), or set DATA_DIR, or OPS_URL and ADMIN_TOKEN.`
        : `${socketPath} cannot be used: ${code}.`,
    );
  }
  if (owner !== user && user !== 0) throw new CliError(`${socketPath} belongs to another user.`);
}

function readToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new CliError(`${file} cannot be read: ${code}.`);
  }
  if (isAdminToken(token)) return token;
  // The message never repeats the content, because it may be a secret.
  throw new CliError(
    `${file} contains no admin token: expected 16 to 256 visible ASCII characters.`,
  );
}
