import { resolve } from 'node:path';
import { readCliSettings } from '../config.ts';
import { adminTokenFile, opsUrlFile, readLine } from '../ops/local-access.ts';
import { CliError } from './cli-error.ts';

/** Where the admin API is, and what opens it. */
export interface ServerAccess {
  readonly url: string;
  readonly token: string;
}

/** Where an operators' listener is by default. */
const defaultUrl = 'http://127.0.0.1:3001';

/**
 * Finds the server to talk to: where the options or the environment say, else the one that runs on
 * `DATA_DIR`.
 *
 * @throws {CliError} if no admin token is to be found.
 */
export async function findServer(options: {
  url?: string | undefined;
  tokenFile?: string | undefined;
}): Promise<ServerAccess> {
  const settings = readCliSettings();
  const dataDir = resolve(settings.dataDir);
  const url = options.url ?? settings.opsUrl ?? (await readLine(opsUrlFile(dataDir))) ?? defaultUrl;
  return { url, token: await findToken(options.tokenFile, settings.adminToken, dataDir) };
}

async function findToken(
  file: string | undefined,
  given: string | undefined,
  dataDir: string,
): Promise<string> {
  if (file !== undefined) {
    const token = await readToken(file);
    if (token === undefined) throw new CliError(`There is no token in ${file}.`);
    return token;
  }
  const token = given ?? (await readToken(adminTokenFile(dataDir)));
  if (token !== undefined) return token;
  throw new CliError(
    `There is no admin token: no server has kept one in ${dataDir}. Start it (npm start), or say where it is by ADMIN_TOKEN, --token-file or DATA_DIR.`,
  );
}

async function readToken(file: string): Promise<string | undefined> {
  try {
    const token = await readLine(file);
    return token === '' ? undefined : token;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new CliError(`The token in ${file} cannot be read: ${code}.`);
  }
}
