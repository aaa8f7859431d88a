import { stringifyJson } from '@animal-store/contract';
import { asc, sql } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OpenDatabase } from '../../src/database/database.ts';
import { DatabaseError } from '../../src/database/database-error.ts';
import { idempotencyKeys, pets } from '../../src/database/schema.ts';
import { createIdempotentCreations } from '../../src/pets/idempotent-creation.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { createDatabase, databaseKinds, type TestDatabase } from '../support/databases.ts';

const keyId = '4f0c1e5a-3b7d-4a51-9d5e-6c1f0a2b3c4d';

/** What became of each creation, without the pets' ids. */
const outcomesOf = (results: PromiseSettledResult<{ outcome: string }>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value.outcome : 'failed'));

describe.each(databaseKinds)('creations that share a statement on %s', (kind) => {
  let testDatabase: TestDatabase;
  let database: OpenDatabase;
  beforeAll(async () => {
    testDatabase = await createDatabase(kind);
    database = await testDatabase.open();
    return async () => {
      await database.close();
      await testDatabase[Symbol.asyncDispose]();
    };
  });
  beforeEach(async () => {
    await database.db.delete(pets);
    await database.db.delete(idempotencyKeys);
  });

  const namesInOrder = async () =>
    (await database.db.select({ name: pets.name }).from(pets).orderBy(asc(pets.id))).map(
      ({ name }) => name,
    );

  test('each get their own pet and a different id', async () => {
    const repository = createPetRepository(database.db);
    const wanted = Array.from({ length: 50 }, (_, i) => ({
      name: `Pet ${i}`,
      categoryId: i % 2 === 0 ? i : BigInt(i) * 2n ** 57n,
      status: (['available', 'pending', 'sold'] as const)[i % 3],
    }));
    const created = await Promise.all(wanted.map(repository.create));
    expect(new Set(created.map(({ id }) => id)).size).toBe(50);
    for (const [i, { id, ...pet }] of created.entries()) {
      expect(pet).toEqual(wanted[i]);
      expect(await repository.find(id)).toBe(stringifyJson(created[i]));
    }
  });

  test('one that the database refuses fails alone', async () => {
    const repository = createPetRepository(database.db);
    // The contract lets no such name through; the table's check constraint refuses it.
    const names = ['first', 'a', 'b', '', 'c', '', 'd'];
    const results = await Promise.allSettled(
      names.map((name) => repository.create({ name, categoryId: 1 })),
    );
    expect(results.map(({ status }) => status)).toEqual(
      names.map((name) => (name === '' ? 'rejected' : 'fulfilled')),
    );
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(DatabaseError);
    }
    expect((await namesInOrder()).sort()).toEqual(['a', 'b', 'c', 'd', 'first']);
  });

  /** Creates pets under their `Idempotency-Key`, all at the same time. */
  function createAll(requests: readonly (readonly [idempotencyKey: string, name: string])[]) {
    const creations = createIdempotentCreations(database.db);
    return Promise.allSettled(
      requests.map(([idempotencyKey, name]) =>
        creations.create({ keyId, idempotencyKey }, { name, categoryId: 1 }),
      ),
    );
  }

  test('a taken Idempotency-Key and a repeated one affect no other', async () => {
    await createAll([['taken', 'earlier']]);
    const results = await createAll([
      ['first', 'first'],
      ['taken', 'earlier'],
      ['taken', 'another body'],
      ['new', 'new'],
      ['twice', 'twice'],
      ['twice', 'twice'],
      ['twice', 'another body'],
      ['last', 'last'],
    ]);
    expect(outcomesOf(results)).toEqual([
      'created',
      'replayed',
      'key-reused',
      'created',
      'created',
      'replayed',
      'key-reused',
      'created',
    ]);
    expect((await namesInOrder()).sort()).toEqual(['earlier', 'first', 'last', 'new', 'twice']);
  });

  test('a refused pet leaves its Idempotency-Key free, and those of the others taken', async () => {
    const requests = [
      ['first', 'first'],
      ['a', 'a'],
      ['refused', ''],
      ['b', 'b'],
    ] as const;
    expect(outcomesOf(await createAll(requests))).toEqual([
      'created',
      'created',
      'failed',
      'created',
    ]);
    expect(outcomesOf(await createAll(requests.map(([key]) => [key, key] as const)))).toEqual([
      'replayed',
      'replayed',
      'created',
      'replayed',
    ]);
  });

  test('the same Idempotency-Key of two API keys creates two pets', async () => {
    const creations = createIdempotentCreations(database.db);
    const otherKeyId = '00000000-0000-4000-8000-000000000000';
    const results = await Promise.all(
      [keyId, keyId, otherKeyId].map((id, i) =>
        creations.create(
          { keyId: id, idempotencyKey: i === 0 ? 'first' : 'same' },
          { name: `${i}`, categoryId: 1 },
        ),
      ),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
    expect(await database.db.select({ n: sql`count(*)::int` }).from(pets)).toEqual([{ n: 3 }]);
  });
});
