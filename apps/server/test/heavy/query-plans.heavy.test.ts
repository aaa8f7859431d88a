import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readAccounts } from '../../src/accounts/account-record.ts';
import { searchAccounts } from '../../src/accounts/account-search.ts';
import type { Database } from '../../src/database/database.ts';
import { pets } from '../../src/database/schema.ts';
import { inTransaction } from '../../src/database/statement.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { createDatabase, openWithoutLimits } from '../support/databases.ts';
import { explainPrepared, select } from '../support/explain.ts';
import { fillKeys } from '../support/fill-keys.ts';

const animals = 1_000_000;
/** Each has a thousandth of the animals; the last has one, which is the only one that is pending. */
const categories = 1_000;
const last = categories + 1;

/** What a page of 20 may read: an index of three levels and a page of it, for each status, and its rows. */
const maxBlocks = 100;

test('a page of a category reads no more among a million animals than among few', async () => {
  await using database = await createDatabase('postgres');
  const { db, close } = await database.open();
  try {
    await db.execute(sql`set statement_timeout = 0`);
    for (let first = 1; first <= animals; first += 100_000) {
      await db.insert(pets).select(
        sql`select nextval('pets_id_seq'), 'Pet',
            case when n = ${sql.raw(String(animals))} then ${sql.raw(String(last))}
              else n % ${sql.raw(String(categories))} end,
            case when n = ${sql.raw(String(animals))} then 'pending'
              when n % 3 = 0 then 'sold' else 'available' end::pet_status, now()
          from generate_series(${sql.raw(String(first))}, ${sql.raw(String(first + 99_999))}) n`,
      );
    }
    await db.execute(sql`analyze pets`);
    await inTransaction('a_test', db, async (tx) => {
      await createPetRepository(tx).list({ categoryId: 1, afterId: 0 }, 20);
      for (const [status, category, afterId, rows] of [
        ['null', 1, 0, 21],
        ['null', 1, animals / 2, 21],
        ['null', 0, animals - 1_000, 0],
        ['sold', 1, animals / 2, 21],
        ['pending', 1, 0, 0],
        ['null', last, 0, 1],
        ['pending', last, 0, 1],
        ['available', last, 0, 0],
        ['null', -1, 0, 0],
      ]) {
        const values = `1, '{${status}}', '{${category}}', '{${afterId}}', '{21}'`;
        const { plan } = await explainPrepared(tx, '%after_id%', values);
        // The first line is the whole statement, and counts what all its parts have read.
        const blocks = [...(/Buffers: shared(.*)/.exec(plan)?.[1]?.matchAll(/=(\d+)/g) ?? [])];
        const read = blocks.reduce((sum, [, count]) => sum + Number(count), 0);
        const found = /Limit .*actual rows=(\d+)/.exec(
          plan.replaceAll(/.*never executed.*/g, ''),
        )?.[1];
        expect({ values, read, rows: Number(found) }).toEqual({
          values,
          read: expect.toSatisfy((count: number) => count > 0 && count <= maxBlocks),
          rows,
        });
      }
    });
  } finally {
    await close();
  }
});

test('a search of accounts reads names and counts keys from indexes alone', async () => {
  await using database = await createDatabase('postgres');
  const { db, close } = openWithoutLimits(database);
  try {
    // A third of the keys has one account, another third has 33,333.
    await fillKeys(db, 100_000);
    /** What a piece of work finds, and how many blocks of some tables or indexes it reads. */
    const read = <Found>(relations: readonly string[], work: (tx: Database) => Promise<Found>) =>
      inTransaction('a_test', db, async (tx) => {
        // Postgres tells nothing of what its parallel workers read.
        await tx.execute(sql`set local max_parallel_workers_per_gather = 0`);
        const counts = relations.map(
          (name) => sql`pg_stat_get_xact_blocks_fetched(${name}::text::regclass)`,
        );
        const sum = sql`select (${sql.join(counts, sql` + `)})::integer as blocks`;
        const [before] = await select<{ blocks: number }>(tx, sum);
        const found = await work(tx);
        const [after] = await select<{ blocks: number }>(tx, sum);
        return { found, blocks: Number(after?.blocks) - Number(before?.blocks) };
      });
    const search = (text: string) => async (tx: Database) => {
      const { items } = await searchAccounts(tx, { search: text }, 50, undefined);
      return items.map(({ account }) => account);
    };
    const ofAccounts = ['accounts', 'accounts_name', 'accounts_search'];
    // The tables have hundreds.
    const few = expect.toSatisfy((blocks: number) => blocks <= 40);
    expect(await read(ofAccounts, search('nobody'))).toEqual({ found: [], blocks: few });
    const one = await read(ofAccounts, search('-99997'));
    expect(one).toEqual({ found: ['A-99997'], blocks: few });
    // Too short for the index of searches.
    expect(await read(['accounts'], search('~~'))).toEqual({ found: [], blocks: few });
    const { found, blocks } = await read(['api_keys'], (tx) => readAccounts(tx, ['big']));
    const many = expect.toSatisfy((keys: number) => keys > 20_000);
    expect({ keys: found[0]?.keys, blocks }).toEqual({ keys: many, blocks: few });
  } finally {
    await close();
  }
});
