import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres as openDatabase } from '@animal-store/postgres/open-postgres';
import { openPostgres, openRedis, startServer } from '@animal-store/testkit';
import { createApiKey } from '../../src/keys/create-key.ts';
import { migrationOptions } from '../../src/schema/migration-options.ts';

/**
 * A server that runs without vitest, with its own Postgres and Redis, and an API key with a very
 * large quota.
 */
export type LoadedServer = Awaited<ReturnType<typeof startWithStores>>;

/**
 * The variables that give the measured server its default timeouts instead of the longer timeouts
 * of tests. An empty value means that the variable is not set.
 */
const ownTimeLimits = {
  HEADERS_TIMEOUT_MS: '',
  REQUEST_TIMEOUT_MS: '',
  STALL_TIMEOUT_MS: '',
};

/** Migrates a database and creates an API key in it. */
export async function createKey(url: string, perMinute = 10_000_000) {
  await migratePostgres(url, migrationOptions);
  const { db, close } = openDatabase(url, migrationOptions);
  const quota = { perMinute, perDay: 100_000_000 };
  const key = await createApiKey(db, { name: 'of a campaign', plan: 'enterprise', quota });
  await close();
  return key;
}

/**
 * Starts a Postgres, a Redis and a server that uses them.
 *
 * @param options.command the command that starts the server, if it is not the default one.
 */
export async function startWithStores(
  env: Readonly<Record<string, string>> = {},
  options: { readonly command?: readonly [string, ...string[]] } = {},
) {
  await using opened = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([openPostgres({ storage: 'disk' }), openRedis()]);
  opened.use(postgres);
  opened.use(redis);
  const database = await postgres.createDatabase();
  const { token } = await createKey(database.url);
  const server = opened.use(
    await startServer({
      ...options,
      env: { ...ownTimeLimits, ...env, DATABASE_URL: database.url, REDIS_URL: redis.url },
    }),
  );
  const kept = opened.move();
  return { server, postgres, redis, token, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
