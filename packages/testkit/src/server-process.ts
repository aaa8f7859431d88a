import { homedir } from 'node:os';
import { copyEmbeddedSnapshot } from './embedded-snapshot.ts';
import { memoryDirectory } from './memory-directory.ts';
import { nodeFlags } from './node-flags.ts';
import { repository } from './repository.ts';
import { startChildProcess } from './start-child-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The line that the server prints when it is ready. Group 1 is its base URL, including `/v1`. */
const readyLine = /Animal Store is listening on (http:\/\/\S+)/;
/**
 * The line with the address of the ops listener. Group 1 is its origin. Earlier versions of the
 * service print other words before the address.
 */
const opsLine = /^ +Ops +.*?(http:\/\/[^\s,]+)/m;
/** The token of an API key, such as the demo key. */
const token = /\bast_[0-9A-Za-z]{36}\b/;

/** The command that `npm start` runs after the installation. */
const defaultCommand = [
  `${repository}apps/server/node_modules/.bin/node`,
  ...nodeFlags,
  `${repository}apps/server/src/main.ts`,
] as const;

/** The directory of the compile cache that all servers of tests share. */
const compileCache = `${repository}node_modules/.cache/node`;

/**
 * Settings for servers in tests. The port 0 means any free port. The timeouts are so long that they
 * expire only in tests that set their own timeouts.
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
   * Environment variables of the server, in addition to the defaults. The defaults are {@link
   * patientEnv}, a compile cache, and a data directory. The data directory contains a migrated
   * database without animals and keys, and is removed on disposal. Of this process's own variables,
   * the server gets only PATH and HOME.
   */
  env?: Readonly<Record<string, string>>;
  /**
   * Another command that starts the server, such as `['npm', 'start']`. Its data directory is
   * empty, as for a first start.
   */
  command?: readonly [command: string, ...args: string[]];
};

/**
 * A server process that is ready for requests. Its disposal throws an error if its log (stderr)
 * contains a complete API key.
 */
export type Server = Awaited<ReturnType<typeof startServer>>;

/**
 * Starts a server process like users do, and waits until it is ready for requests.
 *
 * @throws an Error with the exit code and the whole output if the process ends before that.
 */
export async function startServer(options: ServerOptions = {}) {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await spawnServer(options));
  const [, baseUrl = ''] = await service.untilOutput(readyLine);
  const { output, signal, exited } = service;
  opened.move();
  return {
    ...service,
    /** The base URL of the API, such as `http://127.0.0.1:34567/v1`. */
    baseUrl,
    origin: new URL(baseUrl).origin,
    /**
     * Returns the origin of the ops listener. Throws an Error if the server has not printed
     * it.
     */
    get opsUrl() {
      const [, url] = opsLine.exec(output()) ?? [];
      if (url === undefined)
        throw new Error(`The server has printed no address of an ops listener:\n${output()}`);
      return url;
    },
    /**
     * Returns the first API key in the output, which is the demo key. The server prints it only at
     * its first start.
     */
    get demoKey() {
      return token.exec(output())?.[0];
    },
    /**
     * Sends SIGTERM, waits for the end of the process, and returns its exit code. The code is
     * `null` if a signal killed the process.
     */
    async stop() {
      signal('SIGTERM');
      return (await exited).code;
    },
  };
}

/**
 * Starts a server process, and returns before it is ready. It is meant for a test that interrupts
 * the start.
 */
export async function spawnServer({ command, env }: ServerOptions) {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory({ parent: memoryDirectory() }));
  const isEmbedded = env?.['DATABASE_URL'] === undefined && env?.['DATA_DIR'] === undefined;
  if (isEmbedded && !command) await copyEmbeddedSnapshot(directory.path);
  const [program, ...args] = command ?? defaultCommand;
  const service = opened.use(
    await startChildProcess({
      command: program,
      args,
      cwd: repository,
      env: {
        // biome-ignore lint/style/noProcessEnv: the server needs the PATH of the test, which has npm
        PATH: process.env['PATH'],
        HOME: homedir(),
        // Like `npm start`, the server uses a compile cache. Without the cache, a start would spend
        // most of its time on the compilation of its modules.
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

/** Asserts that a log contains no complete API key. Every server of every test is checked. */
export function expectNoToken(log: string): void {
  if (token.test(log))
    throw new Error(
      'The log of the server contains a complete API key, which must never be logged.',
    );
}
