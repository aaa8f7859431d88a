import { homedir } from 'node:os';
import { copyEmbeddedSnapshot } from './embedded-snapshot.ts';
import { startGuarded } from './guarded-process.ts';
import { memoryDirectory } from './memory-directory.ts';
import { nodeFlags } from './node-flags.ts';
import { repository } from './repository.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The line that the server prints when it is ready; group 1 is its base URL, including `/v1`. */
const readyLine = /Animal Store is listening on (http:\/\/\S+)/;
/** The line with the address of the ops listener; group 1 is its origin. */
const opsLine = /^ +Ops +(http:\/\/\S+)/m;
/** An API key's token, such as the demo key. */
const token = /\bast_[0-9A-Za-z]{36}\b/;

/** The command that `npm start` runs after the installation. */
const defaultCommand = [
  `${repository}apps/server/node_modules/.bin/node`,
  ...nodeFlags,
  `${repository}apps/server/src/main.ts`,
] as const;

/** The compile cache of all servers that tests start. */
const compileCache = `${repository}node_modules/.cache/node`;

/**
 * Settings of a server under test: free ports, and timeouts that do not disturb tests of other
 * subjects.
 */
export const patientEnv = {
  PORT: '0',
  HOST: '127.0.0.1',
  OPS_PORT: '0',
  MAX_WAIT_MS: '60000',
  HEADERS_TIMEOUT_MS: '600000',
  REQUEST_TIMEOUT_MS: '600000',
  STALL_TIMEOUT_MS: '600000',
  REDIS_TIMEOUT_MS: '60000',
} as const;

type ServerOptions = {
  /**
   * Environment variables, which override the defaults: {@link patientEnv}, a compile cache, and a
   * data directory that is migrated, without animals and keys, and removed on disposal. Only PATH
   * and HOME of this process are passed on.
   */
  env?: Readonly<Record<string, string>>;
  /**
   * Another command to run, such as `['npm', 'start']`. Its data directory is empty, as for a first
   * start.
   */
  command?: readonly [command: string, ...args: string[]];
};

/**
 * A server process that is ready. Its disposal throws if its log (stderr) contains a whole API key.
 */
export type Server = Awaited<ReturnType<typeof startServer>>;

/**
 * Starts a server process like its users do, and waits until it is ready.
 *
 * @throws an Error with its exit code and whole output if it ends before that
 */
export async function startServer(options: ServerOptions = {}) {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await spawnServer(options));
  const [, baseUrl = ''] = await service.untilOutput(readyLine);
  const { output, signal, exited } = service;
  opened.move();
  return {
    ...service,
    /** The base URL, such as `http://127.0.0.1:34567/v1`. */
    baseUrl,
    origin: new URL(baseUrl).origin,
    /**
     * Returns the origin of the operators' listener. Throws an Error if the server did not print
     * it.
     */
    get opsUrl() {
      const [, url] = opsLine.exec(output()) ?? [];
      if (url === undefined) throw new Error(`No operators' listener:\n${output()}`);
      return url;
    },
    /** The first API key in the output: the demo key, which is printed at the first start only. */
    get demoKey() {
      return token.exec(output())?.[0];
    },
    /**
     * Sends SIGTERM, waits, and returns the exit code; null when the process was killed instead.
     */
    async stop() {
      signal('SIGTERM');
      return (await exited).code;
    },
  };
}

/** Starts a server process without waiting, for a start that a test interrupts. */
export async function spawnServer({ command, env }: ServerOptions) {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory({ parent: memoryDirectory() }));
  const isEmbedded = env?.['DATABASE_URL'] === undefined && env?.['DATA_DIR'] === undefined;
  if (isEmbedded && !command) await copyEmbeddedSnapshot(directory.path);
  const [program, ...args] = command ?? defaultCommand;
  const service = opened.use(
    await startGuarded({
      command: program,
      args,
      cwd: repository,
      env: {
        // biome-ignore lint/style/noProcessEnv: the server needs the PATH of the test, which has npm
        PATH: process.env['PATH'],
        HOME: homedir(),
        // `npm start` does the same: most of the time of a start is the compilation of its modules.
        NODE_COMPILE_CACHE: compileCache,
        DATA_DIR: directory.path,
        ...patientEnv,
        ...env,
      },
      endSignal: 'SIGKILL',
    }),
  );
  const kept = opened.move();
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      await kept.disposeAsync();
      expectNoToken(service.stderr());
    },
  };
}

/** This is checked for every server of every test: a log never contains a whole key. */
export function expectNoToken(log: string): void {
  if (token.test(log)) throw new Error('There is a whole API key in the log.');
}
