import { resolve } from 'node:path';
import { isAdminToken, readCliSettings } from '../config.ts';
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
 * @throws {CliError} if no admin token is to be found, or a file cannot be read.
 */
export async function findServer(options: {
  url?: string | undefined;
  tokenFile?: string | undefined;
}): Promise<ServerAccess> {
  const settings = readCliSettings();
  const dataDir = resolve(settings.dataDir);
  const wanted = options.url ?? settings.opsUrl;
  const given = await readGiven(options.tokenFile, settings.adminToken);
  // Whoever says both needs no data directory, which may be somebody else's.
  if (wanted !== undefined && given !== undefined) return { url: wanted, token: given };
  const local = await read(opsUrlFile(dataDir));
  const url = wanted ?? local ?? defaultUrl;
  // What a data directory keeps is for its own server: whoever else listens must not be handed it.
  const kept = url === local ? await readToken(adminTokenFile(dataDir)) : undefined;
  const token = given ?? kept;
  if (token !== undefined) return { url, token };
  throw new CliError(
    local === undefined
      ? `There is no admin token: no server runs on ${dataDir}. Start it (npm start), or say where it is by ADMIN_TOKEN, --token-file or DATA_DIR.`
      : `There is no admin token for ${url}: the one in ${dataDir} is for ${local} alone. Give one by ADMIN_TOKEN or --token-file.`,
  );
}

/** The token that the caller gave, if any. */
async function readGiven(
  file: string | undefined,
  given: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return given;
  const token = await readToken(file);
  if (token === undefined) throw new CliError(`There is no token in ${file}.`);
  return token;
}

async function readToken(file: string): Promise<string | undefined> {
  const token = await read(file);
  if (token === undefined || isAdminToken(token)) return token;
  // Now: what cannot be sent would be repeated by whoever was to send it.
  throw new CliError(`${file} holds no admin token: 16 to 256 visible ASCII characters.`);
}

async function read(file: string): Promise<string | undefined> {
  try {
    const line = await readLine(file);
    return line === '' ? undefined : line;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new CliError(`${file} cannot be read: ${code}.`);
  }
}
