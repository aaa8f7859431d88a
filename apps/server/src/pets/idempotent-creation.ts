import { hash } from 'node:crypto';
import { type NewPet, type Pet, stringifyJson } from '@animal-store/contract';
import { and, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { idempotencyKeys } from '../database/schema.ts';
import { preparedStatement, statement } from '../database/statement.ts';
import { createPetInserter, retentionStart } from './pet-insertion.ts';

/** The result of a creation with an `Idempotency-Key`. */
export type IdempotentCreation =
  | { readonly outcome: 'created' | 'replayed'; readonly pet: Required<Pet> }
  | { readonly outcome: 'in-progress' | 'key-reused' };

export type IdempotentCreations = ReturnType<typeof createIdempotentCreations>;

/** The most rows that one statement deletes, so that it stays below the statement timeout. */
const maxDeleted = 1_000;

const findEarlierCreation = preparedStatement('find_earlier_creation', (db) =>
  db
    .select({ fingerprint: idempotencyKeys.fingerprint, petId: idempotencyKeys.petId })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.keyId, sql.placeholder('keyId')),
        eq(idempotencyKeys.idempotencyKey, sql.placeholder('idempotencyKey')),
        gt(idempotencyKeys.createdAt, retentionStart),
      ),
    ),
);

const deleteExpiredKeys = statement('delete_expired_idempotency_keys', (db) =>
  db
    .delete(idempotencyKeys)
    .where(
      sql`ctid in ${db
        .select({ row: sql`ctid` })
        .from(idempotencyKeys)
        .where(lte(idempotencyKeys.createdAt, retentionStart))
        .limit(maxDeleted)}`,
    )
    .returning({ petId: idempotencyKeys.petId }),
);

/**
 * Creates animals at most once per `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
 */
export function createIdempotentCreations(db: Database) {
  const insert = createPetInserter(db);
  return {
    /**
     * Creates an animal, or repeats the result of the key's first creation.
     *
     * @param scope the API key and its `Idempotency-Key`: the keys of two callers never conflict.
     */
    async create(
      scope: { keyId: string; idempotencyKey: string },
      { name, categoryId, status = 'available' }: NewPet,
    ): Promise<IdempotentCreation> {
      const body = { name, categoryId, status };
      const fingerprint = hash('sha256', stringifyJson(body), 'hex');
      const id = await insert({ ...body, once: { ...scope, fingerprint } });
      if (id !== undefined) return { outcome: 'created', pet: { id, ...body } };

      const [earlier] = await findEarlierCreation(db, scope);
      if (earlier === undefined) return { outcome: 'in-progress' };
      if (earlier.fingerprint !== fingerprint) return { outcome: 'key-reused' };
      return { outcome: 'replayed', pet: { id: earlier.petId, ...body } };
    },

    /** Deletes keys that may be used again anyway. */
    async deleteExpired(): Promise<void> {
      let deleted: number;
      do deleted = (await deleteExpiredKeys(db)).length;
      while (deleted === maxDeleted);
    },
  };
}
