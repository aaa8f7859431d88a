import { int64Max, int64Min, maxPetId, type Pet, stringifyJson } from '@animal-store/contract';
import { DatabaseError } from '@animal-store/postgres';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PetFilter } from '../../src/pets/pet-cursor.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { pets } from '../../src/schema/schema.ts';
import { databaseKinds, useDatabase } from '../support/databases.ts';

const statuses = ['available', 'pending', 'sold'] as const;
/**
 * The ids of the categories. A JavaScript number cannot represent the third id exactly, and would
 * round it to the second id.
 */
const categories = [1, 9007199254740992n, 9007199254740993n, int64Min, int64Max];
/**
 * The names of the animals. They contain characters that Postgres might write in JSON in another
 * way than JSON.stringify.
 */
const names = [
  ...['Rex', 'a "b" \\c', 'é \u007f </script>', '😀 %s %I', "o'neil {1}", 'x,\\n y', ' x '],
  ...[
    "'; drop table pets; --",
    '$1 :name ?',
    'كلب 👨‍👩‍👧 e\u0301',
    '\ue000\uffff',
    '__proto__',
    '\ufeffRex',
  ],
];

/** The number of test runs. The embedded database is slower, so it gets fewer runs. */
const numRuns = { postgres: 50, embedded: 15 };
const status = fc.option(fc.constantFrom(...statuses), { nil: undefined });
const categoryId = fc.option(fc.constantFrom(...categories, 7), { nil: undefined });
const int64 = fc.bigInt({ min: int64Min, max: int64Max });

const has = (pet: Pet, filter: PetFilter) =>
  (filter.status ?? pet.status) === pet.status &&
  (filter.categoryId ?? pet.categoryId) === pet.categoryId;

describe.each(databaseKinds)('database %s', (kind) => {
  const opened = useDatabase(kind);
  let repository: ReturnType<typeof createPetRepository>;
  const all: Required<Pet>[] = [];
  beforeAll(async () => {
    repository = createPetRepository({ db: opened.db, reads: opened.db });
    const wanted = Array.from({ length: 60 }, (_, i) => ({
      name: names[i % names.length] ?? '',
      categoryId: categories[i % 5] ?? 0,
      status: statuses[i % 3] ?? 'sold',
    }));
    // Creations that wait at the same time share an SQL statement, so one statement inserts most
    // animals.
    all.push(...(await Promise.all(wanted.map(repository.create))));
    expect(all.map(({ id: _, ...pet }) => pet)).toEqual(wanted);
    // The table refuses an empty name. Only this creation may fail, although the other creations
    // share its statement.
    const results = await Promise.allSettled(
      ['Rex', 'a', '', 'b'].map((name) => repository.create({ name, categoryId: 7 })),
    );
    expect(results[2]).toMatchObject({ reason: expect.any(DatabaseError) });
    for (const result of results) if (result.status === 'fulfilled') all.push(result.value);
    expect(all).toHaveLength(wanted.length + 3);
    // The ids of animals in the same statement ascend. The first animal is left out, because a
    // separate statement may have inserted it.
    all.sort((a, b) => a.id - b.id);
    const last = { id: maxPetId, name: 'Last', categoryId: 7, status: 'sold' } as const;
    await opened.db.insert(pets).values(last);
    all.push(last);
  });

  test('the pet repository gives animals unique ids and returns animals as they were written', async () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const pet of all) expect(await repository.find(pet.id)).toBe(stringifyJson(pet));
    for (const id of [0, -1, 2n ** 53n, 2n ** 53n + 1n, int64Min, int64Max]) {
      expect(await repository.find(id)).toBeUndefined();
    }
  });

  test('the pet repository returns the same pages of animals as a simple in-memory implementation', async () => {
    const id = fc.constantFrom(0, ...all.map((pet) => pet.id));
    const request = fc.record({
      status,
      categoryId,
      afterId: id,
      limit: fc.integer({ min: 1, max: 100 }),
    });
    // Lists that are requested at the same time share an SQL statement.
    const requests = fc.array(request, { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(requests, async (batch) => {
      const pages = await Promise.all(batch.map((it) => repository.list(it, it.limit)));
      for (const [i, { afterId, limit, ...filter }] of batch.entries()) {
        const found = all.filter((pet) => pet.id > afterId && has(pet, filter));
        expect(pages[i]).toEqual({
          json: stringifyJson(found.slice(0, limit)),
          lastId: found.length > limit ? found[limit - 1]?.id : undefined,
        });
      }
    });
    await fc.assert(property, { seed: 1, numRuns: numRuns[kind] });
  });

  test('the pet repository finds animals by any 64-bit ids, with the same results as a simple in-memory implementation', async () => {
    const id = fc.oneof(int64, fc.constantFrom(...all.map((pet) => BigInt(pet.id))));
    const ids = fc.array(id, { minLength: 1, maxLength: 100 });
    const requests = fc.array(fc.record({ ids, status, categoryId }), {
      minLength: 1,
      maxLength: 4,
    });
    const property = fc.asyncProperty(requests, async (batch) => {
      const lists = await Promise.all(batch.map(repository.listByIds));
      const expected = batch.map(({ ids, ...filter }) =>
        all.filter((pet) => ids.includes(BigInt(pet.id)) && has(pet, filter)),
      );
      expect(lists).toEqual(expected.map(stringifyJson));
    });
    await fc.assert(property, { seed: 1, numRuns: numRuns[kind] });
  });
});
