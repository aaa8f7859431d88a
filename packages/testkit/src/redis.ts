import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort, onFreePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { findProgram } from './program.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

export type RedisOptions = {
  /** More arguments for `redis-server`, as `['--maxmemory', '10mb']`. */
  args?: readonly string[];
};

/** A private Redis on loopback that keeps nothing on disk. */
export type Redis = AsyncDisposable & {
  url: string;
  port: number;
  readonly pid: number;
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
export function openRedis({ args = [] }: RedisOptions = {}): Promise<Redis> {
  return openRedisNode({ args });
}

/** The same on a chosen port, for a node of a cluster, or as a Sentinel with a configuration. Not public. */
export async function openRedisNode({
  args = [],
  findPort = freePort,
  sentinelConfig,
}: {
  args?: readonly string[];
  findPort?: () => Promise<number>;
  /** A file. */
  sentinelConfig?: string;
}): Promise<Redis & Pick<GuardedProcess, 'untilOutput'>> {
  const server = await findProgram('redis');
  // It comes with the server, under the same name.
  const cli = server.replace(/-server$/, '-cli');
  const directory = await temporaryDirectory();

  async function start(port: number): Promise<GuardedProcess> {
    const service = await startGuarded({
      command: server,
      args: [
        // `redis-sentinel` is the same program, and not everywhere installed with it.
        ...(sentinelConfig === undefined ? [] : [sentinelConfig, '--sentinel']),
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory.path],
        ...['--save', '', '--appendonly', 'no', ...args],
      ],
      cwd: directory.path,
      // It keeps nothing on disk, so it need not save.
      endSignal: 'SIGKILL',
    });
    try {
      await service.untilOutput(/ready to accept connections|sentinel ID is/i);
    } catch (error) {
      await service.end();
      throw error;
    }
    return service;
  }

  let opened: { port: number; service: GuardedProcess };
  try {
    opened = await onFreePort(async (port) => ({ port, service: await start(port) }), findPort);
  } catch (error) {
    await directory.close();
    throw error;
  }
  const { port } = opened;
  let { service } = opened;

  async function kill() {
    await service.kill();
  }
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
      service = await start(port);
    },
    async command(...command) {
      // `-e`: an error reply is a failure, not an answer.
      const { stdout } = await run(cli, ['-e', '-p', String(port), ...command]);
      return stdout.trimEnd();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await directory.close();
    },
  };
}
