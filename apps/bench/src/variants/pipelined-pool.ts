import pg from 'pg';

/** As many as the service has, see `open-postgres.ts` there. */
const maxConnections = 4;

/**
 * Sends statements through pg as postgres.js does: each to the connection that has the fewest under way, in
 * turn, without waiting for those before it. `Pool` of pg ignores `pipeline`: it lends a connection to one
 * statement until its result is there (its issue 3738).
 *
 * Transactions borrow connections of a `Pool`, because no other statement may come between theirs. drizzle
 * calls `connect` for them on everything whose class is named a pool.
 */
export class PipelinedPool {
  readonly #connections: { readonly client: pg.Client; underWay: number }[];
  readonly #transactions: pg.Pool;

  constructor(url: string) {
    const options = {
      connectionString: url,
      application_name: 'animal-store-pg',
      statement_timeout: 5_000,
    };
    this.#transactions = new pg.Pool({
      ...options,
      application_name: 'animal-store-transactions',
      max: maxConnections,
    });
    this.#connections = Array.from({ length: maxConnections }, () => {
      const client = new pg.Client({ ...options, pipeline: true });
      // Statements wait for it. A connection that fails ends the process, and so the measurement.
      void client.connect();
      return { client, underWay: 0 };
    });
  }

  async query(statement: pg.QueryConfig, values: unknown[]): Promise<pg.QueryResult> {
    const connection = this.#connections.reduce((a, b) => (b.underWay < a.underWay ? b : a));
    // The last one of those that are equally busy.
    this.#connections.push(...this.#connections.splice(this.#connections.indexOf(connection), 1));
    connection.underWay++;
    try {
      return await connection.client.query(statement, values);
    } finally {
      connection.underWay--;
    }
  }

  connect(): Promise<pg.PoolClient> {
    return this.#transactions.connect();
  }

  async end(): Promise<void> {
    const clients = this.#connections.map(({ client }) => client.end());
    await Promise.all([...clients, this.#transactions.end()]);
  }
}
