import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { findProgram } from './program.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

export type RedisOptions = {
  /** More arguments for `redis-server`, as `['--maxmemory', '10mb']`. */
  args?: readonly string[];
  /** @default any that is free */
  port?: number;
};

/** A private Redis on loopback that keeps nothing on disk. */
export type Redis = AsyncDisposable & {
  url: string;
  port: number;
  readonly pid: number;
  /** Waits until it logs something. */
  untilOutput(pattern: RegExp): Promise<unknown>;
  /** Freezes it: commands hang, connections are accepted by nobody. */
  pause(): void;
  resume(): void;
  /** SIGKILL: connections break, new ones are refused. */
  kill(): Promise<void>;
  /** Starts it anew on the same port, empty; kills it first if it runs. */
  restart(): Promise<void>;
  /** Runs one command and gives what `redis-cli` prints; an error reply is an Error. */
  command(...command: string[]): Promise<string>;
};

/** Starts a private, empty Redis, in milliseconds: one for each test file, or for each test. */
export async function openRedis({ args = [], port: given }: RedisOptions = {}): Promise<Redis> {
  const server = await findProgram('redis');
  // It comes with the server, under the same name.
  const cli = server.replace(/-server$/, '-cli');
  const port = given ?? (await freePort());
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory());
  let service: GuardedProcess;

  async function start() {
    service = await startGuarded({
      command: server,
      args: [
        // First, because one may be a file of configuration.
        ...args,
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory.path],
        ...['--save', '', '--appendonly', 'no'],
      ],
      cwd: directory.path,
      endSignal: 'SIGKILL',
    });
    await service.untilOutput(/ready to accept connections|sentinel ID is/i);
  }
  async function kill() {
    await service.kill();
  }
  opened.defer(() => kill());
  await start();
  const kept = opened.move();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return service.pid;
    },
    untilOutput: (pattern) => service.untilOutput(pattern),
    pause: () => service.pause(),
    resume: () => service.resume(),
    kill,
    async restart() {
      await kill();
      await start();
    },
    async command(...command) {
      // `-e`: an error reply is a failure, not an answer.
      const { stdout } = await run(cli, ['-e', '-p', String(port), ...command]);
      return stdout.trimEnd();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
