import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Server, startServer } from '@animal-store/testkit';
import { wideLimit } from './catalogue.ts';
import { onServerCpus } from './machine.ts';
import type { Stores } from './open-stores.ts';
import { commandOf, type Target } from './targets.ts';

export type StartOptions = {
  readonly stores: Pick<Stores, 'databaseUrl' | 'redis'>;
  /** Environment variables for the service. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory for the log file. */
  readonly directory: string;
};

/**
 * Starts a server with production settings, and pins it to the processor that is reserved for the
 * server under test.
 */
export async function startTarget(
  opened: AsyncDisposableStack,
  target: Target,
  { stores, env, directory }: StartOptions,
): Promise<Server> {
  const logFile = join(directory, `${target.name}.log`);
  const server = await startServer({
    // The server's log goes to a file. Reading it from a pipe would cost this process CPU time.
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
    throw new Error(
      `The server ${target.name} did not start. Its log ends with: ${readFileSync(logFile, 'utf8').slice(-4_000)}`,
      { cause },
    );
  });
  opened.use(server);
  // The server is stopped gracefully before `opened` would kill it, because Node writes the profile
  // of `--cpu-prof` only at a normal exit.
  opened.defer(async () => {
    await server.stop();
  });
  return server;
}
