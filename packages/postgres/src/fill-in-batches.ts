import type { Sql } from 'postgres';

/** How many rows one batch writes. Their locks last for about a tenth of a second. */
const batchSize = 1_000;

/**
 * Fills the new column of a migration before the migration is applied, in batches by the `id` of
 * the table. It does so for each statement that begins with `UPDATE … SET … WHERE … IS NULL`. So no
 * caller waits long for a row, however many rows there are. The transaction that applies the
 * migration only has to update rows that were locked.
 *
 * @param sql the statements of the migration.
 */
export async function fillInBatches(client: Sql, sql: readonly string[]): Promise<void> {
  for (const text of sql) {
    const [, table, set, column] =
      /^(?:--.*\n)*UPDATE ("\w+") SET (.+) WHERE ("\w+") IS NULL;?$/.exec(text.trim()) ?? [];
    if (table === undefined) continue;
    let last: string | undefined;
    do {
      const after = last === undefined ? '' : `where id > '${last}'`;
      const [batch] = await client.unsafe<{ last: string | null }[]>(
        `with batch as materialized (select id from ${table} ${after} order by id limit ${batchSize}),
          filled as (update ${table} set ${set} where id in (
            select id from ${table} where id in (select id from batch) and ${column} is null
            for update skip locked))
        select (select id::text from batch order by id desc limit 1) as last`,
      );
      last = batch?.last ?? undefined;
    } while (last !== undefined);
  }
}
