import { join } from 'node:path';
import type { Database, OpenDatabase } from '@animal-store/postgres';
import { defaultDatabaseLimits } from '@animal-store/postgres';
import { openEmbedded } from '@animal-store/postgres/open-embedded';
import { openPostgres } from '@animal-store/postgres/open-postgres';
import {
  copyEmbeddedSnapshot,
  memoryDirectory,
  postgresAt,
  temporaryDirectory,
} from '@animal-store/testkit';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { beforeAll, inject } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { postgresTemplate } from './global-setup.ts';

/** The databases that the service supports. Both must behave in the same way. */
export const databaseKinds = ['embedded', 'postgres'] as const;

export type DatabaseKind = (typeof databaseKinds)[number];

/** An empty database with all migrations, for one test file. */
export type TestDatabase = AsyncDisposable & {
  /** The environment variables with which a server uses the database. */
  env: Readonly<Record<string, string>>;
  /** The URL of a Postgres database. It is empty for the embedded database. */
  url: string;
  /** A connection to the Postgres database, which is closed with the database. */
  readonly db: Database;
  /**
   * Opens the database in this process. Only one process at a time can open the embedded database.
   */
  open(): Promise<OpenDatabase>;
};

/**
 * Database settings with very long timeouts. They only affect tests that would otherwise wait
 * forever. A statement may take long while other tests use all CPU cores.
 */
export const patientDatabase = {
  ...defaultDatabaseLimits,
  ...migrationOptions,
  ...{ connectSeconds: 60, searchSeconds: 60, statementSeconds: 60 },
  ...{ answerWithinMs: 61_000, heartbeatLostMs: 60_000 },
};

export async function createDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  switch (kind) {
    case 'embedded': {
      const directory = await temporaryDirectory({ parent: memoryDirectory() });
      const dataDir = join(directory.path, 'data');
      await copyEmbeddedSnapshot(dataDir);
      return {
        env: { DATA_DIR: dataDir },
        url: '',
        get db(): never {
          throw new Error('The embedded database has no shared access: call `open` instead.');
        },
        open: () => openEmbedded(dataDir, patientDatabase),
        [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
      };
    }
    case 'postgres': {
      const database = await postgresAt(inject('postgres')).createDatabase({
        template: postgresTemplate,
      });
      const { url } = database;
      let opened: OpenDatabase | undefined;
      return {
        env: { DATABASE_URL: url },
        url,
        get db() {
          opened ??= openPostgres(url, patientDatabase);
          return opened.db;
        },
        open: async () => openPostgres(url, patientDatabase),
        async [Symbol.asyncDispose]() {
          await opened?.close();
          await database[Symbol.asyncDispose]();
        },
      };
    }
  }
}

/** Connects to a Postgres database without the timeouts of the service. */
export function connectTo(url: string, max = 1) {
  const sql = postgres(url, { max, onnotice: () => {} });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end() });
}

/** Opens a Postgres database without the timeouts of the service, so that a test can fill it. */
export function openWithoutLimits({ url }: Pick<TestDatabase, 'url'>) {
  const client = connectTo(url);
  return { db: drizzle({ client }), close: () => client.end() };
}

/**
 * Opens an empty database with all migrations in this process, for the tests of a file or of a
 * `describe`.
 */
export function useDatabase(kind: DatabaseKind): { readonly db: Database } {
  const opened = {} as OpenDatabase;
  beforeAll(async () => {
    const database = await createDatabase(kind);
    Object.assign(opened, await database.open());
    return async () => {
      await opened.close();
      await database[Symbol.asyncDispose]();
    };
  });
  return opened;
}
