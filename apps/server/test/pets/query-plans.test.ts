import { inTransaction } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { createIdempotentCreations } from '../../src/pets/idempotent-creation.ts';
import type { PetFilter } from '../../src/pets/pet-cursor.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { pets } from '../../src/schema/schema.ts';
import { useDatabase } from '../support/databases.ts';
import { explainPrepared, select } from '../support/explain.ts';

const database = useDatabase('postgres');
beforeAll(async () => {
  await database.db.insert(pets).select(
    // Nearly all animals have the first category, and only a few animals at the end have another
    // one.
    sql`select nextval('pets_id_seq'), 'Pet', case when n > 19990 then 2 else 1 end,
        case when n > 20000 then 'sold' else 'available' end::pet_status, now()
      from generate_series(1, 20010) n`,
  );
  await database.db.execute(sql`analyze pets`);
});

test.each([
  ['of a rare status', { status: 'sold' }, 'pets_status_id'],
  ['of a category', { categoryId: 1 }, 'pets_category_status_id'],
  ['of a category and a status', { categoryId: 1, status: 'sold' }, 'pets_category_status_id'],
] as const)(
  'Postgres reads a page of animals %s in the order of an index, without sorting',
  async (_what, filter, index) => {
    // All statements run in one transaction, because prepared statements belong to a connection.
    await inTransaction('a_test', database.db, async (tx) => {
      await createPetRepository({ db: tx, reads: tx }).list({ ...filter, afterId: 0 }, 21);
      const { status, categoryId }: PetFilter = filter;
      const request = {
        n: 0,
        wanted_status: status,
        wanted_category: categoryId,
        after_id: 0,
        size: 21,
      };
      const values = `1, '${JSON.stringify([request])}'`;
      const { plan, scans } = await explainPrepared(tx, '%after_id%', values);
      expect(scans).toEqual([expect.stringContaining(`Index Scan using ${index} on pets`)]);
      expect(plan).not.toContain('Rows Removed by Filter');
      // Postgres reads at most one page of each status, however many animals there are.
      for (const scan of scans) {
        expect(Number(/actual rows=([\d.]+)/.exec(scan)?.[1])).toBeLessThan(22);
      }
    });
  },
);

test('Postgres finds animals by their ids through the primary key', async () => {
  await inTransaction('a_test', database.db, async (tx) => {
    const repository = createPetRepository({ db: tx, reads: tx });
    await repository.find(7);
    await repository.listByIds({ ids: [7, 8], status: undefined });
    for (const request of [
      { n: 0, wanted_id: 7 },
      { n: 0, wanted_ids: [7, 8] },
    ]) {
      const [, name] = Object.keys(request);
      const values = `1, '${JSON.stringify([request])}'`;
      const { scans } = await explainPrepared(tx, `%${name} bigint%`, values);
      expect(scans).toEqual([expect.stringMatching(/(Index Scan using|Bitmap Heap Scan).* pets/)]);
    }
  });
});

test('Postgres uses a cached query plan for every SQL statement about animals', async () => {
  const plans = await inTransaction('a_test', database.db, async (tx) => {
    const repository = createPetRepository({ db: tx, reads: tx });
    const creations = createIdempotentCreations(tx);
    // Postgres makes a custom plan for the first five executions, and then decides whether to cache
    // a generic plan. So each statement runs more than five times.
    for (let i = 0; i < 7; i += 1) {
      const pet = { name: 'Rex', categoryId: 1 };
      const keyId = '4f0c1e5a-3b7d-4a51-9d5e-6c1f0a2b3c4d';
      const filters = [{}, { status: 'sold' }, { categoryId: 1 }] as const;
      await repository.list({ ...filters[i % 3], afterId: 0 }, 21);
      await repository.find(1);
      await repository.listByIds({ ids: [1, i], status: undefined });
      await repository.create(pet);
      await creations.create({ keyId, idempotencyKey: `key ${i}` }, pet);
    }
    return await select<{ custom: number }>(
      tx,
      sql`select custom_plans::int custom from pg_prepared_statements
        where statement like '%json_to_recordset%' and statement not like '%pg_prepared_statements%'`,
    );
  });
  expect(plans).toHaveLength(5);
  expect(plans.filter(({ custom }) => custom > 5)).toEqual([]);
});
