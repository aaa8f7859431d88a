import type { z } from 'zod';
import type { ListQuery, NewPet, Pet } from './peer-schemas.ts';
import { pool } from './peer-stores.ts';

const columns = 'id, name, category_id as "categoryId", status';

type StoredPet = z.infer<typeof Pet>;

export async function listPets({ limit, status }: z.infer<typeof ListQuery>): Promise<StoredPet[]> {
  const { rows } =
    status === undefined
      ? await pool.query(`select ${columns} from pets order by id limit $1`, [limit])
      : await pool.query(`select ${columns} from pets where status = $1 order by id limit $2`, [
          status,
          limit,
        ]);
  return rows;
}

export async function findPet(id: number): Promise<StoredPet | undefined> {
  const { rows } = await pool.query(`select ${columns} from pets where id = $1`, [id]);
  return rows[0];
}

export async function createPet(pet: z.infer<typeof NewPet>): Promise<StoredPet> {
  const { rows } = await pool.query(
    `insert into pets (name, category_id, status) values ($1, $2, $3) returning ${columns}`,
    [pet.name, pet.categoryId, pet.status],
  );
  return rows[0];
}
