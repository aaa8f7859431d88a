import { StartupError } from '@animal-store/runtime';
import type { Sql } from 'postgres';

/** What to do if the database role lacks a permission. */
export const grantPermissions =
  'Migrate the database as its owner, and then run the statements of "Least rights" in docs/operating.md as the owner';

/**
 * Checks that the database role may read and write all given tables, and use the sequences of their
 * columns. Without this check, a service whose role lacks permissions for a new table would be
 * ready, and callers would get 500.
 *
 * @param tables the names of the tables with their schemas. Tables that do not exist are ignored,
 *   because a later version of the service may have dropped them.
 * @throws {StartupError} whose message names the tables and the sequences.
 */
export async function checkPermissions(client: Sql, tables: readonly string[]): Promise<void> {
  const [row] = await client<{ role: string; missing: string }[]>`
    with tables as (
      select name, to_regclass(name) as id
      from unnest(string_to_array(${tables.join(' ')}, ' ')) name)
    select current_user as role, concat_ws(', ', (
      select string_agg(name, ', ') from tables
      where not (has_table_privilege(id, 'select') and has_table_privilege(id, 'insert')
        and has_table_privilege(id, 'update') and has_table_privilege(id, 'delete'))
    ), (
      select string_agg(seqrelid::regclass::text, ', ') from pg_sequence
      join pg_depend on classid = 'pg_class'::regclass and objid = seqrelid
      join tables on refobjid = id
      where not has_sequence_privilege(seqrelid, 'usage')
    )) as missing`;
  if (row === undefined || row.missing === '') return;
  throw new StartupError(
    `DATABASE_URL: the database role ${row.role} lacks permissions for these tables and sequences: ${row.missing}. ${grantPermissions}`,
  );
}
