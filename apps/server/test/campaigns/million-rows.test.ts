import { inTransaction } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readAccounts } from '../../src/accounts/account-record.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { pets } from '../../src/schema/schema.ts';
import { createDatabase, openWithoutLimits } from '../support/databases.ts';
import { explainPrepared, select } from '../support/explain.ts';

const animals = 1_000_000;
/**
 * The last category, which has a single animal with the status `pending`. Each other category has a
 * thousandth of the animals, and none of them is pending.
 */
const last = 1_001;

/**
 * The number of database blocks that Postgres may read for a page of 20 animals. For each status,
 * Postgres reads four levels of an index, and for each animal, one row.
 */
const maxBlocks = 100;

test('Postgres reads at most 100 blocks for a page of animals with the same category when the table has a million animals', async () => {
  await using database = await createDatabase('postgres');
  const { db, close } = await database.open();
  try {
    await db.execute(sql`set statement_timeout = 0`);
    await db.insert(pets).select(
      sql.raw(`select nextval('pets_id_seq'), 'Pet',
          case when n = ${animals} then ${last} else n % 1000 end,
          case when n = ${animals} then 'pending'
            when n % 3 = 0 then 'sold' else 'available' end::pet_status, now()
        from generate_series(1, ${animals}) n`),
    );
    await db.execute(sql`analyze pets`);
    await inTransaction('a_test', db, async (tx) => {
      await createPetRepository({ db: tx, reads: tx }).list({ categoryId: 1, afterId: 0 }, 20);
      for (const [wanted, category, afterId, rows] of [
        [null, 1, 0, 21],
        [null, 0, animals - 1_000, 0],
        ['sold', 1, animals / 2, 21],
        ['pending', 1, 0, 0],
        [null, last, 0, 1],
        ['available', last, 0, 0],
      ]) {
        const page = {
          n: 0,
          wanted_status: wanted,
          wanted_category: category,
          after_id: afterId,
          size: 21,
        };
        const values = `1, '${JSON.stringify([page])}'`;
        const { plan } = await explainPrepared(tx, '%after_id%', values);
        // The first line of the plan describes the whole statement and includes the blocks of all
        // its parts.
        const blocks = [...(/Buffers: shared(.*)/.exec(plan)?.[1]?.matchAll(/=(\d+)/g) ?? [])];
        const read = blocks.reduce((sum, [, count]) => sum + Number(count), 0);
        const executed = plan.replaceAll(/.*never executed.*/g, '');
        const found = Number(/Limit .*actual rows=(\d+)/.exec(executed)?.[1]);
        expect({ page, found }).toEqual({ page, found: rows });
        expect(read).toBeGreaterThan(0);
        expect(read).toBeLessThanOrEqual(maxBlocks);
      }
    });
  } finally {
    await close();
  }
});

test('the service counts the active API keys of an account from an index, without reading the table', async () => {
  await using database = await createDatabase('postgres');
  const { db, close } = openWithoutLimits(database);
  try {
    // A third of the API keys belongs to the account whose keys the service counts.
    await db.execute(sql`insert into api_keys (name, account, plan)
      select 'Client', case when n % 3 = 0 then 'big' end, 'free' from generate_series(1, 100000) n`);
    await db.execute(sql`vacuum analyze api_keys`);
    await inTransaction('a_test', db, async (tx) => {
      // Parallel workers are disabled, because Postgres does not report how many blocks they read.
      await tx.execute(sql`set local max_parallel_workers_per_gather = 0`);
      const blocksRead = async () => {
        const [row] = await select<{ blocks: number }>(
          tx,
          sql`select pg_stat_get_xact_blocks_fetched('api_keys'::regclass)::integer as blocks`,
        );
        return row?.blocks ?? Number.NaN;
      };
      const before = await blocksRead();
      const [account] = await readAccounts(tx, ['big']);
      expect(account?.keys).toBeGreaterThan(20_000);
      // The table has hundreds of blocks, but the count must read only a few of them.
      expect((await blocksRead()) - before).toBeLessThanOrEqual(40);
    });
  } finally {
    await close();
  }
});
