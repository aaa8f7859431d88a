import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { pets } from '../../src/database/schema.ts';
import { inTransaction } from '../../src/database/statement.ts';
import type { PetFilter } from '../../src/pets/pet-cursor.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { useDatabase } from '../support/databases.ts';
import { explainPrepared } from '../support/explain.ts';

const database = useDatabase('postgres');
beforeAll(async () => {
  await database.db.insert(pets).select(
    // A category that most animals have, and one of few animals at the end.
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
] as const)('a page %s is read from the index that has its order', async (_what, filter, index) => {
  // Prepared statements belong to a connection, and a transaction keeps to one.
  await inTransaction('a_test', database.db, async (tx) => {
    await createPetRepository({ db: tx, reads: tx }).list({ ...filter, afterId: 0 }, 21);
    const { status, categoryId }: PetFilter = filter;
    const request = { n: 0, wanted: status, category: categoryId, after_id: 0, size: 21 };
    const values = `1, '${JSON.stringify([request])}'`;
    const { plan, scans } = await explainPrepared(tx, '%after_id%', values);
    expect(scans).toEqual([expect.stringContaining(`Index Scan using ${index} on pets`)]);
    expect(plan).not.toContain('Rows Removed by Filter');
    // One page of each status is read at most, however many animals there are.
    for (const scan of scans) {
      expect(Number(/actual rows=([\d.]+)/.exec(scan)?.[1])).toBeLessThan(22);
    }
  });
});
