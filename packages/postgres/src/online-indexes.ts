import type { Sql } from 'postgres';

/**
 * Creates the indexes of a migration before the migration is applied. The function handles each
 * statement that begins with `CREATE INDEX IF NOT EXISTS`, and creates the index with
 * `CONCURRENTLY`. So other statements can write to the table while the index is created.
 *
 * The transaction that applies the migration cannot use `CONCURRENTLY`. The transaction later finds
 * that the index already exists, and skips the statement. There is no timeout, because the lock of
 * `CONCURRENTLY` delays neither reads nor writes.
 *
 * @param sql the statements of the migration. The index of a new column belongs in the next
 * migration, because the column does not exist yet when this function runs.
 */
export async function createIndexesOnline(client: Sql, sql: readonly string[]): Promise<void> {
  const statements = sql.map((text) => text.trim());
  const functions = statements.filter((text) => /^(--.*\n)*CREATE OR REPLACE FUNCTION/.test(text));
  for (const statement of statements) {
    const [, name, table] =
      /^(?:--.*\n)*CREATE INDEX IF NOT EXISTS ("\w+") ON ("\w+")/.exec(statement) ?? [];
    if (name === undefined || table === undefined) continue;
    const [found] = await client<{ hasTable: boolean; isValid: boolean | null }[]>`
      select to_regclass(${table}) is not null as "hasTable",
        (select indisvalid from pg_index where indexrelid = to_regclass(${name})) as "isValid"`;
    if (!found?.hasTable || found.isValid) continue;
    // An interrupted attempt leaves an invalid index. Postgres updates this index with each write,
    // but never uses it, so the index is dropped before the next attempt.
    if (found.isValid === false) await client.unsafe(`drop index concurrently ${name}`);
    for (const text of functions) await client.unsafe(text);
    await client.unsafe(statement.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'));
  }
}
