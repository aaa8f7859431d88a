import { randomUUID } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onFreePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import {
  localeOptions,
  type PostgresUser,
  postgresPackage,
  postgresUser,
  readableBinaries,
} from './postgres-binaries.ts';
import { type PostgresDatabases, postgresAt } from './postgres-databases.ts';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

/** A private Postgres server on loopback. */
export type Postgres = PostgresDatabases &
  AsyncDisposable & {
    port: number;
    /** The process that has all others of the server as children. */
    readonly pid: number;
    /** Freezes the whole server: statements hang, connections are accepted by nobody. */
    pause(): void;
    resume(): void;
    /**
     * Crashes it: nothing is flushed, connections break, and the next start recovers committed data from
     * the log.
     */
    kill(): Promise<void>;
    /** Stops it as operators do (fast shutdown): it ends all sessions and flushes its data. */
    stop(): Promise<void>;
    /** Starts it again after `kill` or `stop`, on the same port and data. */
    start(): Promise<void>;
    close(): Promise<void>;
  };

/** Faster settings with the same behaviour: only a crash of the operating system loses data. */
const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'log_statement=none'];

export type PostgresOptions = {
  /** Settings over those of the testkit, as `['fsync=on']`. */
  settings?: readonly string[];
};

/** Starts a private, empty Postgres. It takes a second: open one a run, and clone databases. */
export async function openPostgres({
  settings: ownSettings = [],
}: PostgresOptions = {}): Promise<Postgres> {
  const user = await postgresUser();
  // As root not the user's own directory for temporary files, which another user may not enter.
  const directory = await temporaryDirectory(user ? { parent: '/tmp' } : {});
  try {
    return await openIn(directory, user, [...settings, ...ownSettings]);
  } catch (error) {
    await directory.close();
    throw error;
  }
}

async function openIn(
  directory: TemporaryDirectory,
  user: PostgresUser,
  allSettings: readonly string[],
): Promise<Postgres> {
  const binaries = await readableBinaries(postgresPackage(), user, directory.path);
  const data = join(directory.path, 'data');
  // A password although it is on loopback: a superuser runs commands (`copy … from program`), and
  // other users of the machine reach loopback too.
  const password = randomUUID();
  const passwordFile = join(directory.path, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  if (user) {
    for (const path of [directory.path, passwordFile, data]) await chown(path, user.uid, user.gid);
  }

  const startBinary = (name: string, args: string[]) =>
    startGuarded({
      command: join(binaries, 'bin', name),
      args,
      cwd: directory.path,
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

  async function startServer(port: number): Promise<GuardedProcess> {
    const service = await startBinary('postgres', [
      ...['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'],
      // No Unix socket: its path may be too long, and nobody needs it.
      ...['-c', 'unix_socket_directories='],
      ...allSettings.flatMap((setting) => ['-c', setting]),
    ]);
    try {
      await service.untilOutput(/database system is ready to accept connections/);
    } catch (error) {
      await service.end();
      throw error;
    }
    return service;
  }

  const { port, service: first } = await onFreePort(async (port) => ({
    port,
    service: await startServer(port),
  }));
  let service = first;

  async function kill() {
    await service.end();
  }
  async function close() {
    await kill();
    await directory.close();
  }
  return {
    ...postgresAt({ adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` }),
    port,
    get pid() {
      return service.pid;
    },
    pause: () => service.pause(),
    resume: () => service.resume(),
    kill,
    async stop() {
      service.signal('SIGINT');
      await service.exited;
    },
    async start() {
      service = await startServer(port);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
