import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { pets } from '../../src/database/schema.ts';
import { inTransaction } from '../../src/database/statement.ts';
import { createIdempotentCreations } from '../../src/pets/idempotent-creation.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { createDatabase, type TestDatabase } from '../support/databases.ts';

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createDatabase('postgres');
  const { db, close } = await testDatabase.open();
  await db.insert(pets).select(
    sql`select nextval('pets_id_seq'), 'Pet', 1,
        case when n > 20000 then 'sold' else 'available' end::pet_status, now()
      from generate_series(1, 20010) n`,
  );
  await db.execute(sql`analyze pets`);
  await close();
  return () => testDatabase[Symbol.asyncDispose]();
});

/** Works on one connection: prepared statements belong to a connection, a transaction keeps to one. */
async function onOneConnection(work: (tx: Database) => Promise<void>): Promise<void> {
  const { db, close } = await testDatabase.open();
  try {
    await inTransaction('a_test', db, work);
  } finally {
    await close();
  }
}

const select = async <Row>(tx: Database, query: ReturnType<typeof sql>) =>
  (await tx.execute(query)) as unknown as Row[];

test.each([
  ['of all animals', undefined, 'pets_pkey'],
  ['of a rare status', 'sold', 'pets_status_id'],
] as const)('a page %s is read from the index that has its order', async (_what, status, index) => {
  await onOneConnection(async (tx) => {
    await createPetRepository(tx).list({ status, afterId: 0 }, 21);
    const [prepared] = await select<{ name: string }>(
      tx,
      sql`select name from pg_prepared_statements where statement like '%as request%'`,
    );
    await tx.execute(sql`set local plan_cache_mode = force_generic_plan`);
    const values = sql.raw(`'{${status ?? 'null'}}', '{0}', '{21}'`);
    const rows = await select<Record<'QUERY PLAN', string>>(
      tx,
      sql`explain (analyze, timing off) execute ${sql.identifier(prepared?.name ?? '')} (${values})`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const scans = plan.split('\n').filter((line) => line.includes(' on pets'));
    const executed = scans.filter((line) => !line.includes('never executed'));
    expect(executed).toEqual([expect.stringContaining(`Index Scan using ${index} on pets`)]);
    expect(plan).not.toContain('Rows Removed by Filter');
  });
});

test('no statement of the request path is planned again for each execution', async () => {
  await onOneConnection(async (tx) => {
    const repository = createPetRepository(tx);
    const creations = createIdempotentCreations(tx);
    // Postgres makes five plans before it decides.
    for (let i = 0; i < 7; i += 1) {
      const pet = { name: 'Rex', categoryId: 1 };
      const keyId = '4f0c1e5a-3b7d-4a51-9d5e-6c1f0a2b3c4d';
      await repository.list({ status: i % 2 === 0 ? undefined : 'sold', afterId: 0 }, 21);
      await repository.find(1);
      await repository.create(pet);
      await creations.create({ keyId, idempotencyKey: `key ${i}` }, pet);
    }
    const plans = await select<{ custom: number; generic: number }>(
      tx,
      sql`select custom_plans::int custom, generic_plans::int generic from pg_prepared_statements
        where statement like '%unnest%' and statement not like '%pg_prepared_statements%'`,
    );
    expect(plans).toEqual(Array.from({ length: 4 }, () => ({ custom: 5, generic: 2 })));
  });
});
