import { asc, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { type ListQuery, type NewPet, type Pet, PetStatus } from './peer-schemas.ts';
import { pool } from './peer-stores.ts';

const pets = pgTable('pets', {
  id: bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  name: text().notNull(),
  categoryId: bigint('category_id', { mode: 'number' }).notNull(),
  status: pgEnum('pet_status', PetStatus.enum)().notNull(),
});

type StoredPet = z.infer<typeof Pet>;

const db = drizzle({ client: pool });

export function listPets({ limit, status }: z.infer<typeof ListQuery>): Promise<StoredPet[]> {
  return db
    .select()
    .from(pets)
    .where(status === undefined ? undefined : eq(pets.status, status))
    .orderBy(asc(pets.id))
    .limit(limit);
}

export async function findPet(id: number): Promise<StoredPet | undefined> {
  const [pet] = await db.select().from(pets).where(eq(pets.id, id));
  return pet;
}

export async function createPet(pet: z.infer<typeof NewPet>): Promise<StoredPet> {
  const [created] = await db.insert(pets).values(pet).returning();
  if (created === undefined) throw new Error('An insert returned no row.');
  return created;
}
