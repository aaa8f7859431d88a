import type { Sql } from 'postgres';

/**
 * Creates indexes for searches if the extension `pg_trgm` is available. With them, a search for a
 * rare text of three or more letters takes milliseconds. Without them, it reads the whole table.
 *
 * The creation is not a migration, because each start must try it again. The role may get the
 * necessary right later, or the extension may be installed later. If the role does not own the
 * tables, the function changes nothing.
 *
 * @param tables the tables with a column `search`.
 */
export async function createTrigramIndexes(client: Sql, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const name = `${table}_trigrams`;
    const [found] = await client<{ isValid: boolean | null; isOwn: boolean }[]>`
      select (select indisvalid from pg_index where indexrelid = to_regclass(${name})) as "isValid",
        pg_has_role(relowner, 'usage') as "isOwn"
      from pg_class where oid = to_regclass(${table})`;
    if (!found?.isOwn || found.isValid) continue;
    const schema = await findTrigrams(client);
    if (schema === undefined) return;
    // An interrupted attempt leaves an invalid index. Postgres updates this index with each write,
    // but never uses it, so the index is dropped before the next attempt.
    if (found.isValid === false) await client`drop index concurrently ${client(name)}`;
    await client`create index concurrently ${client(name)} on ${client(table)}
      using gin (search ${client(schema)}.gin_trgm_ops)`;
  }
}

/**
 * Returns the schema of the extension `pg_trgm`. Creates the extension first, if it is missing and
 * the role may create it.
 *
 * @returns `undefined` if the extension is not available, or if the role may not use its schema.
 */
async function findTrigrams(client: Sql): Promise<string | undefined> {
  // The name is not read with `::regnamespace::text`, because that would quote the name, for example
  // if `quote_all_identifiers` is on.
  const find = () => client<{ schema: string }[]>`
    select nspname as schema from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm' and has_schema_privilege(extnamespace, 'usage')`;
  const [found] = await find();
  if (found !== undefined) return found.schema;
  try {
    await client`create extension if not exists pg_trgm`;
  } catch {
    // The creation fails if the role lacks the permission, or if the extension is not installed on
    // the database server.
    return undefined;
  }
  return (await find())[0]?.schema;
}
