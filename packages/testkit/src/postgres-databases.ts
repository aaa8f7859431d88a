import { randomUUID } from 'node:crypto';
import postgres from 'postgres';

/** Creates databases in a running Postgres, which another process may have started. */
export function postgresAt({ adminUrl }: { adminUrl: string }) {
  /**
   * Opens a connection to the database `postgres` for each use, which takes milliseconds and leaves
   * nothing open.
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
     * The database `postgres`, as superuser. `postgresAt` accepts it, in this process or another.
     */
    adminUrl,
    asAdmin,
    /**
     * Creates a template database, filled by `migrate`. `migrate` must close what it opens, because
     * a database in use cannot be cloned.
     */
    async createTemplate(name: string, migrate: (url: string) => Promise<unknown>) {
      await asAdmin((sql) => sql`create database ${sql(name)}`);
      await migrate(urlOf(name));
      await asAdmin(
        (sql) => sql`alter database ${sql(name)} with is_template true allow_connections false`,
      );
    },
    /** Creates a database: empty, or a clone of a template. You can create several at once. */
    async createDatabase({ template = 'template1' } = {}) {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      // Postgres waits for a connection to the template that is ending.
      await asAdmin((sql) => sql`create database ${sql(name)} template ${sql(template)}`);
      // A test may have dropped the database already.
      const drop = () => asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`);
      return { name, url: urlOf(name), [Symbol.asyncDispose]: drop };
    },
  };
}
