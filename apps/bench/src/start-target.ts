import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Server, startServer } from '@animal-store/testkit';
import { wideLimit } from './catalogue.ts';
import { onServerCpus } from './machine.ts';
import type { Stores } from './open-stores.ts';
import { commandOf, type Target } from './targets.ts';

export type StartOptions = {
  readonly stores: Pick<Stores, 'databaseUrl' | 'redis'>;
  readonly replicas: number;
  /** Settings of the service. */
  readonly env: Readonly<Record<string, string>>;
  /** Where logs go. */
  readonly directory: string;
  /** The program that runs the target, and its flags. */
  readonly node: readonly string[];
};

/** Starts the replicas of a target, as its users run it. */
export async function startTarget(
  opened: AsyncDisposableStack,
  target: Target,
  { stores, replicas, env, directory, node }: StartOptions,
): Promise<readonly Server[]> {
  const servers: Server[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    const command = [...onServerCpus, ...commandOf(target, node)];
    const logFile = join(directory, `${target.name}.log`);
    const server = await startServer({
      // The log goes to a file: a pipe would be read by this process, which has better things to do.
      command: ['sh', '-c', 'exec "$@" 2>>"$LOG_FILE"', 'sh', ...command],
      env: {
        NODE_ENV: 'production',
        LOG_FILE: logFile,
        DATABASE_URL: stores.databaseUrl,
        REDIS_URL: stores.redis.url,
        PER_MINUTE: String(wideLimit),
        PER_DAY: String(wideLimit),
        REPLICAS: String(replicas),
        ...env,
      },
    }).catch((cause) => {
      throw new Error(`${target.name}: ${readFileSync(logFile, 'utf8').slice(-4_000)}`, { cause });
    });
    opened.use(server);
    // In order first: `--cpu-prof` writes its profile at an orderly exit.
    opened.defer(async () => {
      await server.stop();
    });
    servers.push(server);
  }
  return servers;
}
