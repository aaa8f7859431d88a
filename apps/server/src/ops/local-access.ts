import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// What an embedded server leaves in its data directory, so that the CLI on the same machine and of
// the same user finds it, and may use it.

/** The file of the admin token. */
export const adminTokenFile = (dataDir: string): string => join(dataDir, 'admin-token');

/** The file that says where the running server's operators' listener is. */
export const opsUrlFile = (dataDir: string): string => join(dataDir, 'ops-url');

/** The admin token of a data directory. The first time it is made, for its owner alone to read. */
export async function keepAdminToken(dataDir: string): Promise<string> {
  const file = adminTokenFile(dataDir);
  const kept = await readLine(file);
  if (kept !== undefined && kept !== '') return kept;
  const token = randomBytes(32).toString('base64url');
  // Renamed into place: a start that is cut short leaves no empty token behind.
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
  return token;
}

/** Says where the operators' listener is, until the returned function is called. */
export async function announceOpsUrl(
  dataDir: string,
  origin: string,
): Promise<() => Promise<void>> {
  const file = opsUrlFile(dataDir);
  await writeFile(file, `${reachable(origin)}\n`);
  return () => rm(file, { force: true });
}

/** Reads a file of one line, or gives `undefined` if there is none. */
export async function readLine(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Where to find a listener: "all addresses" is one to listen on, and not one to call. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
