import type { Database } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';

export const select = async <Row>(tx: Database, query: ReturnType<typeof sql>) =>
  (await tx.execute(query)) as unknown as Row[];

/** Returns the generic plan of a prepared SQL statement. */
export async function explainPrepared(tx: Database, statement: string, values: string) {
  const [prepared] = await select<{ name: string }>(
    tx,
    sql`select name from pg_prepared_statements
      where statement like ${statement} and statement not like '%pg_prepared_statements%'`,
  );
  await tx.execute(sql`set local plan_cache_mode = force_generic_plan`);
  const rows = await select<Record<'QUERY PLAN', string>>(
    tx,
    sql`explain (analyze, buffers, timing off)
      execute ${sql.identifier(prepared?.name ?? '')} (${sql.raw(values)})`,
  );
  const lines = rows.map((row) => row['QUERY PLAN']);
  const scans = lines.filter((line) => line.includes(' on pets'));
  return {
    plan: lines.join('\n'),
    /** The lines of the plan that describe executed scans. */
    scans: scans.filter((line) => !line.includes('never executed')),
  };
}
