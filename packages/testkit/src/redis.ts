import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { findProgram } from './program.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** A private Redis on loopback that keeps nothing on disk. */
export type Redis = Awaited<ReturnType<typeof openRedis>>;

/**
 * Starts a private, empty Redis, in milliseconds: one for each test file, or for each test.
 *
 * @param options.args more for `redis-server`, as `['--maxmemory', '10mb']`.
 * @param options.port any that is free, unless given.
 */
export async function openRedis(options: { args?: readonly string[]; port?: number } = {}) {
  const server = await findProgram('redis');
  // It comes with the server, under the same name.
  const cli = server.replace(/-server$/, '-cli');
  const port = options.port ?? (await freePort());
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory());
  let service: GuardedProcess;

  async function start() {
    service = await startGuarded({
      command: server,
      args: [
        // First, because one may be a file of configuration.
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
    /** Freezes it: commands hang, connections are accepted by nobody. */
    pause: () => service.pause(),
    resume: () => service.resume(),
    /** SIGKILL: connections break, new ones are refused. */
    kill,
    /** Starts it anew on the same port, empty; kills it first if it runs. */
    async restart() {
      await kill();
      await start();
    },
    /** Runs one command and gives what `redis-cli` prints; an error reply is an Error. */
    async command(...command: string[]) {
      // `-e`: an error reply is a failure, not an answer.
      const { stdout } = await run(cli, ['-e', '-p', String(port), ...command]);
      return stdout.trimEnd();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
