import { openPostgres, openRedis, type Server, startServer } from '@animal-store/testkit';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openPostgres as openDatabase } from '../../src/database/open-postgres.ts';
import { createApiKey } from '../../src/keys/key-management.ts';

/** A server on Postgres and Redis of its own, outside vitest, with a key that no load exhausts. */
export type LoadedServer = AsyncDisposable & { readonly server: Server; readonly token: string };

/** Empty counts as unset: what is measured has the service's limits, not the long ones of tests. */
const ownTimeLimits = {
  HEADERS_TIMEOUT_MS: '',
  REQUEST_TIMEOUT_MS: '',
  STALL_TIMEOUT_MS: '',
};

export async function startWithStores(
  env: Readonly<Record<string, string>> = {},
): Promise<LoadedServer> {
  await using opened = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([openPostgres({ storage: 'disk' }), openRedis()]);
  opened.use(postgres);
  opened.use(redis);
  const database = await postgres.createDatabase();
  await migratePostgres(database.url);
  const { db, close } = openDatabase(database.url);
  const { token } = await createApiKey(db, {
    name: 'valid caller',
    plan: 'enterprise',
    quota: { perMinute: 10_000_000, perDay: 100_000_000 },
  });
  await close();
  const server = opened.use(
    await startServer({
      env: { ...ownTimeLimits, ...env, DATABASE_URL: database.url, REDIS_URL: redis.url },
    }),
  );
  const kept = opened.move();
  return { server, token, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
