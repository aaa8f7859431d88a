import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { until } from './until.ts';

/** Where a Postgres is: plain JSON, to be handed to another process. */
export type PostgresConnectionInfo = {
  /** With the superuser's name and password. */
  adminUrl: string;
};

export type TestDatabase = AsyncDisposable & {
  name: string;
  url: string;
  /** Drops the database, whoever is still connected. */
  drop(): Promise<void>;
};

export type PostgresDatabases = {
  /** The database `postgres`, as superuser. */
  adminUrl: string;
  /** `postgresAt` takes it, in this process or another. */
  connectionInfo: PostgresConnectionInfo;
  /**
   * Makes a database to clone, filled by `migrate`, which must close what it opens: a database in
   * use cannot be cloned.
   */
  createTemplate(name: string, migrate: (url: string) => Promise<unknown>): Promise<void>;
  /** Makes a database: empty, or a clone of a template. Any number at once. */
  createDatabase(options?: { template?: string }): Promise<TestDatabase>;
};

type Sql = postgres.Sql;

/** Makes databases in a Postgres that runs already, maybe started by another process. */
export function postgresAt({ adminUrl }: PostgresConnectionInfo): PostgresDatabases {
  // One connection for each use costs milliseconds, and leaves nothing to close.
  async function asAdmin<T>(use: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
    try {
      return await use(sql);
    } finally {
      await sql.end();
    }
  }

  function urlOf(name: string) {
    const url = new URL(adminUrl);
    url.pathname = `/${encodeURIComponent(name)}`;
    return url.href;
  }

  async function createTemplate(name: string, migrate: (url: string) => Promise<unknown>) {
    await asAdmin((sql) => sql`create database ${sql(name)}`);
    await migrate(urlOf(name));
    await asAdmin(async (sql) => {
      await sql`alter database ${sql(name)} with is_template true allow_connections false`;
      // A closed connection takes a moment to end on the server.
      const unused = async () => {
        const users = await sql`select from pg_stat_activity
          where datname = ${name} and backend_type = 'client backend'`;
        return users.length === 0;
      };
      await until(unused);
    });
  }

  async function createDatabase({ template = 'template1' }: { template?: string } = {}) {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await asAdmin((sql) => sql`create database ${sql(name)} template ${sql(template)}`);
    const drop = async () => {
      await asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`);
    };
    return { name, url: urlOf(name), drop, [Symbol.asyncDispose]: drop };
  }

  return { adminUrl, connectionInfo: { adminUrl }, createTemplate, createDatabase };
}
