import type { Sql } from 'postgres';

/**
 * Creates indexes with which searches find rare texts of three or more letters in milliseconds, if
 * the extension pg_trgm is available. Without them, a search reads the whole table. This is not a
 * migration, because each start tries again: the role may get the right, or the server the
 * extension, later. A role that does not own the tables does not change them.
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
    // An interrupted attempt leaves an index that is written and never read.
    if (found.isValid === false) await client`drop index concurrently ${client(name)}`;
    await client`create index concurrently ${client(name)} on ${client(table)}
      using gin (search ${client(schema)}.gin_trgm_ops)`;
  }
}

/** @returns the schema of the extension, which is created if the role may create it. */
async function findTrigrams(client: Sql): Promise<string | undefined> {
  const find = () => client<{ schema: string }[]>`
    select extnamespace::regnamespace::text as schema from pg_extension where extname = 'pg_trgm'`;
  const [found] = await find();
  if (found !== undefined) return found.schema;
  try {
    await client`create extension if not exists pg_trgm`;
  } catch {
    // This role may not create the extension, or the server does not have it.
    return undefined;
  }
  return (await find())[0]?.schema;
}
