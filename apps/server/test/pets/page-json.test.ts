import { int64Max, int64Min, type Pet, stringifyJson } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { createDatabase, databaseKinds } from '../support/databases.ts';

const names = [
  'Rex',
  'a "b" \\c',
  'é \u2028\u2029\u007f </script>',
  '😀 %s %I',
  "o'neil {1}",
  'x,\\n y',
];
const categoryIds = [1, 0, -5, int64Min, int64Max, 9_007_199_254_740_993n];

test.each(databaseKinds)('%s writes the JSON of a page as we write it', async (kind) => {
  await using database = await createDatabase(kind);
  const { db, close } = await database.open();
  try {
    const pets = createPetRepository(db);
    const created: Pet[] = [];
    for (const [i, name] of names.entries()) {
      created.push(await pets.create({ name, categoryId: categoryIds[i] ?? 0, status: 'sold' }));
    }
    const all = { status: undefined, afterId: 0 };
    const text = (count: number) => stringifyJson(created.slice(0, count));
    expect(await pets.list(all, 6)).toEqual({ json: text(6), lastId: undefined });
    expect(await pets.list(all, 5)).toEqual({ json: text(5), lastId: created[4]?.id });
    expect(await pets.list({ ...all, status: 'pending' }, 5)).toEqual({
      json: '[]',
      lastId: undefined,
    });
  } finally {
    await close();
  }
});
