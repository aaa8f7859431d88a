import { hash } from 'node:crypto';
import { type NewPet, type Pet, stringifyJson } from '@animal-store/contract';
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { translateErrors } from '../database/database-error.ts';
import { idempotencyKeys, pets } from '../database/schema.ts';

/** What came of a creation under an `Idempotency-Key`. */
export type IdempotentCreation =
  | { readonly outcome: 'created' | 'replayed'; readonly pet: Required<Pet> }
  | { readonly outcome: 'in-progress' | 'key-reused' };

export type IdempotentCreations = ReturnType<typeof createIdempotentCreations>;

/** How long a key is remembered. */
const memory = sql`interval '24 hours'`;

/** How many rows a statement deletes: it may take 5 s, and what has piled up may take longer. */
const forgottenAtOnce = 1_000;

/**
 * Creates animals at most once per `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
 *
 * The key's row and the animal are written by one statement, so both are there or neither is. The
 * unique index decides between concurrent requests; the advisory lock only tells the later one that
 * the first is still on its way, where it would otherwise wait for it.
 */
export function createIdempotentCreations(db: Database) {
  const { keyId, idempotencyKey, fingerprint } = {
    keyId: sql`${sql.placeholder('keyId')}::uuid`,
    idempotencyKey: sql`${sql.placeholder('idempotencyKey')}::text`,
    fingerprint: sql`${sql.placeholder('fingerprint')}::text`,
  };

  // No row if the key is taken, be it by a row of the last 24 hours or by a request in flight.
  const claimed = db.$with('claimed', { petId: sql<number>`pet_id`.as('pet_id') }).as(sql`
    insert into ${idempotencyKeys} (key_id, idempotency_key, fingerprint, pet_id)
    select ${keyId}, ${idempotencyKey}, ${fingerprint}, nextval(pg_get_serial_sequence('pets', 'id'))
    where pg_try_advisory_xact_lock(hashtextextended(${keyId} || ' ' || ${idempotencyKey}, 0))
    on conflict (key_id, idempotency_key) do update
      set fingerprint = excluded.fingerprint, pet_id = excluded.pet_id, created_at = now()
      where ${idempotencyKeys.createdAt} <= now() - ${memory}
    returning pet_id`);

  const inserted = db.$with('inserted', { id: pets.id }).as(sql`
    insert into ${pets} (id, name, category_id, status)
    select pet_id, ${sql.placeholder('name')}::text, ${sql.placeholder('categoryId')}::bigint,
      ${sql.placeholder('status')}::pet_status
    from claimed
    returning id`);

  const createOnce = db
    .with(claimed, inserted)
    .select({ id: inserted.id })
    .from(inserted)
    .prepare('create_pet_once');

  const earlier = db
    .select({ fingerprint: idempotencyKeys.fingerprint, petId: idempotencyKeys.petId })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.keyId, sql.placeholder('keyId')),
        eq(idempotencyKeys.idempotencyKey, sql.placeholder('idempotencyKey')),
        gt(idempotencyKeys.createdAt, sql`now() - ${memory}`),
      ),
    )
    .prepare('earlier_creation');

  const forgotten = db.$with('forgotten', { petId: sql<number>`pet_id`.as('pet_id') }).as(sql`
    delete from ${idempotencyKeys}
    where ctid in (
      select ctid from ${idempotencyKeys}
      where ${idempotencyKeys.createdAt} <= now() - ${memory}
      limit ${sql.raw(String(forgottenAtOnce))}
    )
    returning pet_id`);

  const forget = db
    .with(forgotten)
    .select({ count: sql<number>`count(*)::int` })
    .from(forgotten)
    .prepare('forget_idempotency_keys');

  return {
    /**
     * Creates an animal, or repeats what the key created before.
     *
     * @param scope the API key and its `Idempotency-Key`: keys of different callers never meet.
     */
    async create(
      scope: { keyId: string; idempotencyKey: string },
      { name, categoryId, status = 'available' }: NewPet,
    ): Promise<IdempotentCreation> {
      const body = { name, categoryId, status };
      const fingerprint = hash('sha256', stringifyJson(body), 'hex');
      const [row] = await translateErrors(
        createOnce.execute({ ...scope, ...body, categoryId: String(categoryId), fingerprint }),
        'create_pet_once',
      );
      if (row !== undefined) return { outcome: 'created', pet: { id: row.id, ...body } };

      const [first] = await translateErrors(earlier.execute(scope), 'find_earlier_creation');
      if (first === undefined) return { outcome: 'in-progress' };
      if (first.fingerprint !== fingerprint) return { outcome: 'key-reused' };
      return { outcome: 'replayed', pet: { id: first.petId, ...body } };
    },

    /** Deletes keys that have served their time. Theirs is room only: they count no more. */
    async forgetExpired(): Promise<void> {
      for (;;) {
        const [deleted] = await translateErrors(forget.execute(), 'forget_idempotency_keys');
        if (deleted === undefined || deleted.count < forgottenAtOnce) return;
      }
    },
  };
}
