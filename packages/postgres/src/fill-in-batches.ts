import type { Sql } from 'postgres';

/** The number of rows that one batch writes. The rows are locked for about 0.1 s. */
const batchSize = 1_000;

/**
 * Fills the new columns of a migration before the migration is applied. The function handles each
 * statement of the form `UPDATE … SET … WHERE … IS NULL`, in batches ordered by `id`. So callers
 * never wait long for a locked row, even if the table is large.
 *
 * Rows that are locked by others are skipped. The transaction that applies the migration later
 * updates them.
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
