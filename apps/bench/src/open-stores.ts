import {
  openPostgres,
  openRedis,
  type Postgres,
  type Redis,
  startServer,
} from '@animal-store/testkit';
import { fillCatalogue, type Tokens } from './catalogue.ts';
import { service } from './targets.ts';

export type Stores = {
  readonly postgres: Postgres;
  readonly redis: Redis;
  readonly databaseUrl: string;
  readonly tokens: Tokens;
};

/**
 * Settings of Postgres that are usual in production. The default settings of the testkit are not
 * suitable, because they favour fast tests over durability.
 */
const postgresSettings = [
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'shared_buffers=1GB',
  'max_wal_size=4GB',
  // Autovacuum is off, because its CPU time would be added to the measured CPU time.
  'autovacuum=off',
];

/**
 * Starts Postgres and Redis. The service migrates the database, and {@link fillCatalogue} fills it.
 */
export async function openStores(
  opened: AsyncDisposableStack,
  size: { pets: number; keys: number },
): Promise<Stores> {
  const postgres = opened.use(await openPostgres({ storage: 'disk', settings: postgresSettings }));
  const redis = opened.use(await openRedis());
  const database = opened.use(await postgres.createDatabase());
  {
    await using migrating = await startServer({
      command: [process.execPath, service.program],
      env: { DATABASE_URL: database.url, LOG_LEVEL: 'error' },
    });
    await migrating.stop();
  }
  const tokens = await fillCatalogue(database.url, size);
  return { postgres, redis, databaseUrl: database.url, tokens };
}
