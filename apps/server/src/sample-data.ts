import type { NewPet } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import { inTransaction } from '@animal-store/postgres';
import { createApiKey, hasAnyKey } from './keys/create-key.ts';
import { createPetRepository } from './pets/pet-repository.ts';

/**
 * Adds a few animals and one demo key to an empty embedded database, so that the first request of a
 * newcomer returns animals.
 *
 * @returns the token of the demo key; `undefined` if this is not the first start.
 */
export function addSampleData(db: Database): Promise<string | undefined> {
  // All rows are inserted in one transaction. If this start is interrupted, the database stays
  // empty, and the next start adds the rows.
  return inTransaction('first_start', db, async (tx) => {
    if (await hasAnyKey(tx)) return undefined;
    const pets = createPetRepository({ db: tx, reads: tx });
    for (const pet of sampleAnimals) await pets.create(pet);
    const { token } = await createApiKey(tx, { name: 'demo', plan: 'free' });
    return token;
  });
}

/**
 * The names of the animals by category: dogs, cats and birds. They fill more than one page, so that
 * newcomers can try pagination.
 */
const namesByCategory = [
  'Bella Max Rocky Daisy Bruno Molly Buddy Ruby Toby',
  'Luna Milo Simba Nala Felix Oscar Tiger Misty',
  'Coco Kiwi Rio Pearl Sunny Zoe Sky',
].map((names) => names.split(' '));

const sampleAnimals: readonly NewPet[] = namesByCategory.flatMap((names, category) =>
  names.map((name, n) => ({
    name,
    categoryId: category + 1,
    status: (['available', 'pending', 'available', 'sold'] as const)[n % 4],
  })),
);
