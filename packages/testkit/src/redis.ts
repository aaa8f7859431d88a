import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { findProgram } from './program.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** A private Redis on loopback that stores nothing on disk. */
export type Redis = Awaited<ReturnType<typeof openRedis>>;

/**
 * Starts a private, empty Redis in milliseconds: one for each test file, or for each test.
 *
 * @param options.args additional arguments of `redis-server`, such as `['--maxmemory', '10mb']`.
 * @param options.port the port. The default is any free port.
 */
export async function openRedis(options: { args?: readonly string[]; port?: number } = {}) {
  const server = await findProgram('redis');
  // redis-cli comes with the server, under the same prefix.
  const cli = server.replace(/-server$/, '-cli');
  const port = options.port ?? (await freePort());
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory());
  let service: GuardedProcess;

  async function start() {
    service = await startGuarded({
      command: server,
      args: [
        // These arguments come first, because one may be a configuration file.
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
    /** Waits until it logs something. */
    untilOutput: (pattern: RegExp) => service.untilOutput(pattern),
    /** Freezes it: commands hang, and connections are not accepted. */
    pause: () => service.pause(),
    resume: () => service.resume(),
    /** Sends SIGKILL: connections break, and new ones are refused. */
    kill,
    /** Starts it again on the same port, empty. Kills it first if it runs. */
    async restart() {
      await kill();
      await start();
    },
    /** Runs one command and returns the output of `redis-cli`. An error reply throws an Error. */
    async command(...command: string[]) {
      // `-e` makes an error reply a failure of the command.
      const { stdout } = await run(cli, ['-e', '-p', String(port), ...command]);
      return stdout.trimEnd();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
