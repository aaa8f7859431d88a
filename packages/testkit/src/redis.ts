import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { findProgram } from './program.ts';
import { type StartedChildProcess, startChildProcess } from './start-child-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** A private Redis that listens on loopback, and stores nothing on disk. */
export type Redis = Awaited<ReturnType<typeof openRedis>>;

/**
 * Starts a private, empty Redis. A start takes milliseconds, so each test file or each test can
 * have its own.
 *
 * @param options.args additional arguments of `redis-server`, such as `['--maxmemory', '10mb']`.
 * @param options.port the port. The default is a free port.
 */
export async function openRedis(options: { args?: readonly string[]; port?: number } = {}) {
  const server = await findProgram('redis');
  // The package of the server also contains the command-line client: `redis-cli` or `valkey-cli`.
  const cli = server.replace(/-server$/, '-cli');
  const port = options.port ?? (await freePort());
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory());
  let service: StartedChildProcess;

  async function start() {
    service = await startChildProcess({
      command: server,
      args: [
        // `options.args` come first, because a configuration file must be the first argument.
        ...(options.args ?? []),
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory.path],
        ...['--save', '', '--appendonly', 'no'],
      ],
      cwd: directory.path,
      endSignal: 'SIGKILL',
    });
    await service.untilOutput(/ready to accept connections|sentinel ID is/i);
  }
  const kill = () => service.kill();
  opened.defer(kill);
  await start();
  const kept = opened.move();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return service.pid;
    },
    /** Waits until the log of Redis matches the pattern. */
    untilOutput: (pattern: RegExp) => service.untilOutput(pattern),
    /** Freezes Redis. Commands hang, and connections are not accepted. */
    pause: () => service.pause(),
    resume: () => service.resume(),
    /** Ends Redis by SIGKILL. Connections break, and new connections are refused. */
    kill,
    /** Starts Redis again on the same port, without data. If it is running, it is killed first. */
    async restart() {
      await kill();
      await start();
    },
    /**
     * Runs one command by `redis-cli`, and returns the output. An error reply of Redis throws an
     * Error.
     */
    async command(...command: string[]) {
      // With `-e`, `redis-cli` exits with an error code after an error reply.
      const { stdout } = await run(cli, ['-e', '-p', String(port), ...command]);
      return stdout.trimEnd();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
