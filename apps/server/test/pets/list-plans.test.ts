import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { pets } from '../../src/database/schema.ts';
import { inTransaction } from '../../src/database/statement.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { createDatabase } from '../support/databases.ts';

test.each([
  ['of all animals', undefined, 'pets_pkey'],
  ['of a rare status', 'sold', 'pets_status_id'],
] as const)('a page %s is read from the index that has its order', async (_what, status, index) => {
  await using testDatabase = await createDatabase('postgres');
  const { db, close } = await testDatabase.open();
  try {
    await db.insert(pets).select(
      sql`select n, 'Pet', 1, case when n > 20000 then 'sold' else 'available' end::pet_status, now()
        from generate_series(1, 20010) n`,
    );
    await db.execute(sql`analyze pets`);

    // A prepared statement belongs to a connection, and a transaction keeps to one.
    const plan = await inTransaction('a_test', db, async (tx) => {
      await createPetRepository(tx).list({ status, afterId: 0 }, 21);
      const [prepared] = (await tx.execute(
        sql`select name from pg_prepared_statements where statement like '%with ordinality as request%'`,
      )) as unknown as [{ name: string }];
      // The plan for all values, which Postgres uses after five executions.
      await tx.execute(sql`set local plan_cache_mode = force_generic_plan`);
      const rows = (await tx.execute(
        sql`explain (analyze, timing off) execute ${sql.identifier(prepared.name)} (${sql.raw(`'{${status ?? 'null'}}', '{0}', '{21}'`)})`,
      )) as unknown as Record<'QUERY PLAN', string>[];
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toContain(`Index Scan using ${index} on pets`);
    expect(plan).not.toContain('Rows Removed by Filter');
  } finally {
    await close();
  }
});
