import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Server, startServer } from '@animal-store/testkit';
import { wideLimit } from './catalogue.ts';
import { onServerCpus } from './machine.ts';
import type { Stores } from './open-stores.ts';
import { commandOf, type Target } from './targets.ts';

export type StartOptions = {
  readonly stores: Pick<Stores, 'databaseUrl' | 'redis'>;
  /** Settings of the service. */
  readonly env: Readonly<Record<string, string>>;
  /** The file for logs. */
  readonly directory: string;
};

/** Starts a target like its users do. */
export async function startTarget(
  opened: AsyncDisposableStack,
  target: Target,
  { stores, env, directory }: StartOptions,
): Promise<Server> {
  const logFile = join(directory, `${target.name}.log`);
  const server = await startServer({
    // The log goes to a file, because reading it from a pipe would cost this process time.
    command: ['sh', '-c', 'exec "$@" 2>>"$LOG_FILE"', 'sh', ...onServerCpus, ...commandOf(target)],
    env: {
      NODE_ENV: 'production',
      LOG_FILE: logFile,
      DATABASE_URL: stores.databaseUrl,
      REDIS_URL: stores.redis.url,
      PER_MINUTE: String(wideLimit),
      PER_DAY: String(wideLimit),
      ...env,
    },
  }).catch((cause) => {
    throw new Error(`${target.name}: ${readFileSync(logFile, 'utf8').slice(-4_000)}`, { cause });
  });
  opened.use(server);
  // The first attempt is a clean stop, because `--cpu-prof` writes its profile then.
  opened.defer(async () => {
    await server.stop();
  });
  return server;
}
