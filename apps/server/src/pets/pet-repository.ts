import type { Int64, NewPet, Pet } from '@animal-store/contract';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { pets } from '../database/schema.ts';
import { preparedStatement } from '../database/statement.ts';
import type { PagePosition } from './page-cursor.ts';

export type PetRepository = ReturnType<typeof createPetRepository>;

const columns = {
  id: pets.id,
  name: pets.name,
  categoryId: pets.categoryId,
  status: pets.status,
};

const isAfterPage = gt(pets.id, sql.placeholder('afterId'));

const listPets = preparedStatement('list_pets', (db) =>
  db
    .select(columns)
    .from(pets)
    .where(isAfterPage)
    .orderBy(asc(pets.id))
    .limit(sql.placeholder('limit')),
);

const listPetsByStatus = preparedStatement('list_pets_by_status', (db) =>
  db
    .select(columns)
    .from(pets)
    .where(and(eq(pets.status, sql.placeholder('status')), isAfterPage))
    .orderBy(asc(pets.id))
    .limit(sql.placeholder('limit')),
);

const findPet = preparedStatement('find_pet', (db) =>
  db
    .select(columns)
    .from(pets)
    .where(eq(pets.id, sql.placeholder('id'))),
);

const createPet = preparedStatement('create_pet', (db) =>
  db
    .insert(pets)
    .values({
      name: sql.placeholder('name'),
      categoryId: sql.placeholder('categoryId'),
      status: sql.placeholder('status'),
    })
    .returning(columns),
);

/** The catalogue in the database. */
export function createPetRepository(db: Database) {
  return {
    /** Up to `limit` animals by ascending id, after a position in the list. */
    list({ status, afterId }: PagePosition, limit: number): Promise<Required<Pet>[]> {
      return status === undefined
        ? listPets(db, { afterId, limit })
        : listPetsByStatus(db, { status, afterId, limit });
    },

    async find(id: Int64): Promise<Required<Pet> | undefined> {
      const [pet] = await findPet(db, { id: String(id) });
      return pet;
    },

    async create({ name, categoryId, status = 'available' }: NewPet): Promise<Required<Pet>> {
      const [pet] = await createPet(db, { name, categoryId, status });
      if (pet === undefined) throw new Error('An insert returned no row.');
      return pet;
    },
  };
}
