import { StartupError } from '@animal-store/runtime';
import type { Sql } from 'postgres';

/** What to do if the database role lacks a permission. */
export const grantPermissions =
  'Migrate the database as its owner, and then run the statements of "Least rights" in docs/operating.md as the owner';

/**
 * Checks that the database role may read and write all given tables. Without this check, a service
 * whose role lacks permissions for a new table would be ready, and callers would get 500.
 *
 * @param tables the names of the tables with their schemas. Tables that do not exist are ignored,
 *   because a later version of the service may have dropped them.
 * @throws {StartupError} whose message names the tables.
 */
export async function checkPermissions(client: Sql, tables: readonly string[]): Promise<void> {
  const [row] = await client<{ role: string; missing: string | null }[]>`
    select current_user as role, (
      select string_agg(name, ', ') from unnest(string_to_array(${tables.join(' ')}, ' ')) name
      where not (has_table_privilege(to_regclass(name), 'select')
        and has_table_privilege(to_regclass(name), 'insert')
        and has_table_privilege(to_regclass(name), 'update')
        and has_table_privilege(to_regclass(name), 'delete'))) as missing`;
  if (row === undefined || row.missing === null) return;
  throw new StartupError(
    `DATABASE_URL: the database role ${row.role} lacks permissions to read and write these tables: ${row.missing}. ${grantPermissions}`,
  );
}
