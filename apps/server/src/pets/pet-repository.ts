import type { Int64, NewPet, Pet } from '@animal-store/contract';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { translateErrors } from '../database/database-error.ts';
import { pets } from '../database/schema.ts';
import type { PagePosition } from './page-cursor.ts';

export type PetRepository = ReturnType<typeof createPetRepository>;

const columns = {
  id: pets.id,
  name: pets.name,
  categoryId: pets.categoryId,
  status: pets.status,
};

/** The catalogue in the database. Statements are prepared here, once, and not built per request. */
export function createPetRepository(db: Database) {
  const afterId = gt(pets.id, sql.placeholder('afterId'));
  const ofStatus = eq(pets.status, sql.placeholder('status'));
  const limit = sql.placeholder('limit');

  const page = db
    .select(columns)
    .from(pets)
    .where(afterId)
    .orderBy(asc(pets.id))
    .limit(limit)
    .prepare('page_of_pets');

  const pageOfStatus = db
    .select(columns)
    .from(pets)
    .where(and(ofStatus, afterId))
    .orderBy(asc(pets.id))
    .limit(limit)
    .prepare('page_of_pets_with_status');

  const byId = db
    .select(columns)
    .from(pets)
    .where(eq(pets.id, sql.placeholder('id')))
    .prepare('pet_by_id');

  const insert = db
    .insert(pets)
    .values({
      name: sql.placeholder('name'),
      categoryId: sql.placeholder('categoryId'),
      status: sql.placeholder('status'),
    })
    .returning(columns)
    .prepare('insert_pet');

  return {
    /** Up to `limit` animals by ascending id, after a position in the list. */
    list(position: PagePosition, limit: number): Promise<Required<Pet>[]> {
      const { status, afterId } = position;
      return translateErrors(
        status === undefined
          ? page.execute({ afterId, limit })
          : pageOfStatus.execute({ status, afterId, limit }),
        'list_pets',
      );
    },

    async find(id: Int64): Promise<Required<Pet> | undefined> {
      const [pet] = await translateErrors(byId.execute({ id: String(id) }), 'find_pet');
      return pet;
    },

    async create({ name, categoryId, status = 'available' }: NewPet): Promise<Required<Pet>> {
      const [pet] = await translateErrors(
        insert.execute({ name, categoryId, status }),
        'create_pet',
      );
      if (pet === undefined) throw new Error('An insert returned no row.');
      return pet;
    },
  };
}
