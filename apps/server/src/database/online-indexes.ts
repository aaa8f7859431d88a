import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Sql } from 'postgres';
import { migrationsFolder } from './migrations.ts';

/** An index of a migration, and the statement that creates it. */
interface OnlineIndex {
  readonly name: string;
  readonly table: string;
  readonly statement: string;
  /** The functions that the migration creates before it, which the index may need. */
  readonly functions: readonly string[];
}

/**
 * Creates the indexes of the migrations that a database lacks, before these are applied: those that begin
 * with `CREATE INDEX IF NOT EXISTS`. So tables are written meanwhile, however long it takes. In the
 * transaction that applies migrations nothing can be created in this way; there the index exists then.
 */
export async function createIndexesOnline(client: Sql): Promise<void> {
  for (const { name, table, statement, functions } of onlineIndexes(
    await findNewestMigration(client),
  )) {
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

/** @returns when the newest migration of a database was written; 0 if it has none. */
async function findNewestMigration(client: Sql): Promise<number> {
  const [journal] = await client`
    select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (!journal?.['exists']) return 0;
  const [newest] = await client`
    select coalesce(max(created_at), 0) as at from drizzle.__drizzle_migrations`;
  return Number(newest?.['at']);
}

function onlineIndexes(newerThan: number): OnlineIndex[] {
  return readMigrationFiles({ migrationsFolder })
    .filter(({ folderMillis }) => folderMillis > newerThan)
    .flatMap(({ sql }) => {
      const statements = sql.map((text) => text.trim());
      const functions = statements.filter((text) =>
        /^(--.*\n)*CREATE OR REPLACE FUNCTION/.test(text),
      );
      return statements.flatMap((statement) => {
        const [, name, table] =
          /^CREATE INDEX IF NOT EXISTS ("\w+") ON ("\w+")/.exec(statement) ?? [];
        if (name === undefined || table === undefined) return [];
        return [{ name, table, statement, functions }];
      });
    });
}
