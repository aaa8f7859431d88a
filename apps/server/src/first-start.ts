import type { NewPet } from '@animal-store/contract';
import type { Database } from './database/database.ts';
import { inTransaction } from './database/statement.ts';
import { createApiKey, hasAnyKey } from './keys/key-management.ts';
import { createPetRepository } from './pets/pet-repository.ts';

/**
 * Fills an empty embedded database with a few animals and one demo key, so that a newcomer's first
 * call has an answer.
 *
 * @returns the demo key's token, or `undefined` if this was not the first start.
 */
export function fillOnFirstStart(db: Database): Promise<string | undefined> {
  // One transaction: if this start is interrupted, the next one is the first start.
  return inTransaction('first_start', db, async (tx) => {
    if (await hasAnyKey(tx)) return undefined;
    const pets = createPetRepository({ db: tx, reads: tx });
    for (const pet of sampleAnimals) await pets.create(pet);
    const { token } = await createApiKey(tx, { name: 'demo', plan: 'free' });
    return token;
  });
}

const [dogs, cats, birds] = [1, 2, 3] as const;

/** More than one page, so that pagination can be tried. */
const sampleAnimals: readonly NewPet[] = [
  { name: 'Bella', categoryId: dogs },
  { name: 'Max', categoryId: dogs },
  { name: 'Luna', categoryId: cats },
  { name: 'Coco', categoryId: birds, status: 'pending' },
  { name: 'Rocky', categoryId: dogs, status: 'sold' },
  { name: 'Milo', categoryId: cats },
  { name: 'Kiwi', categoryId: birds },
  { name: 'Daisy', categoryId: dogs, status: 'pending' },
  { name: 'Simba', categoryId: cats },
  { name: 'Bruno', categoryId: dogs },
  { name: 'Nala', categoryId: cats, status: 'sold' },
  { name: 'Rio', categoryId: birds },
  { name: 'Molly', categoryId: dogs },
  { name: 'Felix', categoryId: cats, status: 'pending' },
  { name: 'Buddy', categoryId: dogs },
  { name: 'Pearl', categoryId: birds, status: 'sold' },
  { name: 'Oscar', categoryId: cats },
  { name: 'Ruby', categoryId: dogs },
  { name: 'Sunny', categoryId: birds },
  { name: 'Tiger', categoryId: cats },
  { name: 'Zoe', categoryId: dogs, status: 'sold' },
  { name: 'Misty', categoryId: cats },
  { name: 'Sky', categoryId: birds, status: 'pending' },
  { name: 'Toby', categoryId: dogs },
];
