import { hash } from 'node:crypto';
import { type NewPet, type Pet, stringifyJson } from '@animal-store/contract';
import { and, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { idempotencyKeys, pets } from '../database/schema.ts';
import { preparedStatement, statement } from '../database/statement.ts';

/** The result of a creation with an `Idempotency-Key`. */
export type IdempotentCreation =
  | { readonly outcome: 'created' | 'replayed'; readonly pet: Required<Pet> }
  | { readonly outcome: 'in-progress' | 'key-reused' };

export type IdempotentCreations = ReturnType<typeof createIdempotentCreations>;

/** A key that was used before this time may be used again. */
const retentionStart = sql`now() - interval '24 hours'`;

/** The most rows that one statement deletes, so that it stays below the statement timeout. */
const maxDeleted = 1_000;

const keyId = sql`${sql.placeholder('keyId')}::uuid`;
const idempotencyKey = sql`${sql.placeholder('idempotencyKey')}::text`;

/**
 * Inserts an idempotency key and its pet, or neither: it is one statement. The unique index decides
 * between concurrent requests. The advisory lock only tells the later request that the first one is
 * still running; without it, the later request would wait.
 *
 * @returns no row if the key is taken, by a row of the last 24 hours or by a request in flight.
 */
const createPetOnce = preparedStatement('create_pet_once', (db) => {
  const claimed = db.$with('claimed').as(
    db
      .insert(idempotencyKeys)
      .select(
        sql`select ${keyId}, ${idempotencyKey}, ${sql.placeholder('fingerprint')}::text, nextval(pg_get_serial_sequence('pets', 'id')), now() where pg_try_advisory_xact_lock(hashtextextended(${keyId} || ' ' || ${idempotencyKey}, 0))`,
      )
      .onConflictDoUpdate({
        target: [idempotencyKeys.keyId, idempotencyKeys.idempotencyKey],
        set: {
          fingerprint: sql`excluded.fingerprint`,
          petId: sql`excluded.pet_id`,
          createdAt: sql`now()`,
        },
        setWhere: lte(idempotencyKeys.createdAt, retentionStart),
      })
      .returning({ petId: idempotencyKeys.petId }),
  );
  const inserted = db.$with('inserted').as(
    db
      .insert(pets)
      .select(
        db
          .select({
            id: claimed.petId,
            name: sql`${sql.placeholder('name')}::text`.as('name'),
            categoryId: sql`${sql.placeholder('categoryId')}::bigint`.as('category_id'),
            status: sql`${sql.placeholder('status')}::pet_status`.as('status'),
            createdAt: sql`now()`.as('created_at'),
          })
          .from(claimed),
      )
      .returning({ id: pets.id }),
  );
  return db.with(claimed, inserted).select({ id: inserted.id }).from(inserted);
});

const findEarlierCreation = preparedStatement('find_earlier_creation', (db) =>
  db
    .select({ fingerprint: idempotencyKeys.fingerprint, petId: idempotencyKeys.petId })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.keyId, keyId),
        eq(idempotencyKeys.idempotencyKey, idempotencyKey),
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
      const values = { ...scope, ...body, categoryId: String(categoryId), fingerprint };
      const [created] = await createPetOnce(db, values);
      if (created !== undefined) return { outcome: 'created', pet: { id: created.id, ...body } };

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
