import type { NewPet, Pet } from '@animal-store/contract';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { petIdSequence, pets } from '../database/schema.ts';
import { execution, preparedStatement, textArray } from '../database/statement.ts';
import { createFinder } from './find-pet.ts';
import { createInsertBatcher } from './insert-batcher.ts';
import { createReaderByIds } from './list-by-ids.ts';
import { createPageReader } from './list-pages.ts';

export type PetRepository = ReturnType<typeof createPetRepository>;

type StoredPet = Required<Pet>;

/** Inserts several pets. Their ids ascend in the order in which they are given. */
const createPets = preparedStatement('create_pets', (db) =>
  db
    .insert(pets)
    .select(
      sql`
        select nextval(${petIdSequence}), name, category_id::bigint, status::pet_status, now()
        from unnest(${textArray('names')}, ${textArray('categoryIds')}, ${textArray('statuses')})
          with ordinality as given (name, category_id, status, n)
        order by n`,
    )
    .returning({ id: pets.id, execution }),
);

/** The catalogue in the database. Requests that arrive while statements are in flight share the next. */
export function createPetRepository(db: Database) {
  const create = createInsertBatcher<Omit<StoredPet, 'id'>, StoredPet>(async (given) => {
    const values = {
      names: given.map(({ name }) => name),
      categoryIds: given.map(({ categoryId }) => String(categoryId)),
      statuses: given.map(({ status }) => status),
    };
    const rows = await createPets(db, values, given.length);
    const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
    return given.map((pet, index) => ({ id: ids[index] as number, ...pet }));
  });

  return {
    /** Up to `limit` animals by ascending id, after a position in the list. */
    list: createPageReader(db),

    /** Given animals by ascending id, as a JSON array. */
    listByIds: createReaderByIds(db),

    /** One animal as JSON, if there is one with this id. */
    find: createFinder(db),

    create: ({ name, categoryId, status = 'available' }: NewPet): Promise<StoredPet> =>
      create({ name, categoryId, status }),
  };
}
