import { randomUUID } from 'node:crypto';
import postgres from 'postgres';

/** Makes databases in a Postgres that runs already, maybe started by another process. */
export function postgresAt({ adminUrl }: { adminUrl: string }) {
  /** Uses the database `postgres`, by a connection for each use: that costs milliseconds, and leaves nothing open. */
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
    /** The database `postgres`, as superuser. `postgresAt` takes it, in this process or another. */
    adminUrl,
    asAdmin,
    /**
     * Makes a database to clone, filled by `migrate`, which must close what it opens: a database in
     * use cannot be cloned.
     */
    async createTemplate(name: string, migrate: (url: string) => Promise<unknown>) {
      await asAdmin((sql) => sql`create database ${sql(name)}`);
      await migrate(urlOf(name));
      await asAdmin(
        (sql) => sql`alter database ${sql(name)} with is_template true allow_connections false`,
      );
    },
    /** Makes a database: empty, or a clone of a template. Any number at once. */
    async createDatabase({ template = 'template1' } = {}) {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      // Postgres waits for a connection to the template that is ending.
      await asAdmin((sql) => sql`create database ${sql(name)} template ${sql(template)}`);
      // A test may have dropped it already.
      const drop = () => asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`);
      return { name, url: urlOf(name), [Symbol.asyncDispose]: drop };
    },
  };
}
