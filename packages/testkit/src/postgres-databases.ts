import { randomUUID } from 'node:crypto';
import postgres from 'postgres';

/**
 * Returns functions that create databases in a running Postgres. Another process may have started
 * it.
 */
export function postgresAt({ adminUrl }: { adminUrl: string }) {
  /**
   * Runs statements as superuser in the database `postgres`. Each call opens its own connection, so
   * that no connection stays open. A connection opens within milliseconds.
   */
  async function asAdmin(use: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
    const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
    try {
      await use(sql);
    } finally {
      await sql.end();
    }
  }

  function urlOf(name: string) {
    const url = new URL(adminUrl);
    url.pathname = `/${encodeURIComponent(name)}`;
    return url.href;
  }

  return {
    /**
     * The URL of the database `postgres` for its superuser. Another process can pass it to
     * `postgresAt`.
     */
    adminUrl,
    asAdmin,
    /**
     * Creates a template database, and fills it by `migrate`. `migrate` must close all its
     * connections, because a database that is in use cannot be copied.
     */
    async createTemplate(name: string, migrate: (url: string) => Promise<unknown>) {
      await asAdmin((sql) => sql`create database ${sql(name)}`);
      await migrate(urlOf(name));
      await asAdmin(
        (sql) => sql`alter database ${sql(name)} with is_template true allow_connections false`,
      );
    },
    /**
     * Creates a database, either empty or as a copy of a template. Several calls may run at the
     * same time.
     */
    async createDatabase({ template = 'template1' } = {}) {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      // A connection to the template may still be ending. Postgres waits for its end, so the copy
      // succeeds.
      await asAdmin((sql) => sql`create database ${sql(name)} template ${sql(template)}`);
      // `if exists` is needed, because a test may have dropped the database already.
      const drop = () => asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`);
      return { name, url: urlOf(name), [Symbol.asyncDispose]: drop };
    },
  };
}
