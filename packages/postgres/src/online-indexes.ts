import type { Sql } from 'postgres';

/**
 * Creates the indexes of a migration, before it is applied: those that begin with `CREATE INDEX IF NOT EXISTS`.
 * So tables are written meanwhile, however long it takes. In the transaction that applies a migration nothing
 * can be created in this way; there the index exists then. Without a time limit: who waits for this lock
 * holds up neither reads nor writes.
 *
 * @param sql the statements of the migration. An index of a new column belongs into the migration after it.
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
    // An attempt that was interrupted leaves an index that is written and never read.
    if (found.isValid === false) await client.unsafe(`drop index concurrently ${name}`);
    for (const text of functions) await client.unsafe(text);
    await client.unsafe(statement.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'));
  }
}
