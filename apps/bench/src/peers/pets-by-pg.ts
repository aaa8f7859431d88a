import type { Pet } from '../catalogue.ts';
import { pool } from './peer-stores.ts';

const columns = 'id, name, category_id as "categoryId", status';

export interface ListQuery {
  readonly limit: number;
  readonly status?: Pet['status'];
}

export async function listPets({ limit, status }: ListQuery): Promise<Pet[]> {
  const { rows } =
    status === undefined
      ? await pool.query(`select ${columns} from pets order by id limit $1`, [limit])
      : await pool.query(`select ${columns} from pets where status = $1 order by id limit $2`, [
          status,
          limit,
        ]);
  return rows;
}

export async function findPet(id: number): Promise<Pet | undefined> {
  const { rows } = await pool.query(`select ${columns} from pets where id = $1`, [id]);
  return rows[0];
}

export async function createPet(pet: Omit<Pet, 'id'>): Promise<Pet> {
  const { rows } = await pool.query(
    `insert into pets (name, category_id, status) values ($1, $2, $3) returning ${columns}`,
    [pet.name, pet.categoryId, pet.status],
  );
  return rows[0];
}
