import type { NewPet } from '@animal-store/contract';
import { isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { createBatcher } from '../batch.ts';
import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/database-error.ts';
import { idempotencyKeys, pets } from '../database/schema.ts';
import { preparedStatement } from '../database/statement.ts';

/** A key that was used before this time may be used again. */
export const retentionStart = sql`now() - interval '24 hours'`;

/** An animal to insert, and the `Idempotency-Key` that allows it only once. */
export interface PetInsertion extends Required<NewPet> {
  readonly once?: {
    readonly keyId: string;
    readonly idempotencyKey: string;
    /** SHA-256 of the validated body, in hexadecimal. */
    readonly fingerprint: string;
  };
}

const textArray = (name: string) => sql`${sql.placeholder(name)}::text[]`;

/**
 * Inserts animals and their idempotency keys in one statement: each pair is there, or neither is.
 * The unique index decides between concurrent requests with the same key. The advisory lock only
 * tells the later one that the first is still running; without it, the later one would wait.
 *
 * @returns the id of each inserted animal by its number `n` in the batch. No row if its key is taken,
 * by a row of the last 24 hours or by a request in flight.
 */
const insertPets = preparedStatement('create_pets', (db) => {
  const given = db
    .$with('given', {
      n: sql<number>`n`.as('n'),
      petId: sql<number>`pet_id`.mapWith(pets.id).as('pet_id'),
      keyId: sql<string | null>`key_id`.as('key_id'),
      idempotencyKey: sql<string | null>`idempotency_key`.as('idempotency_key'),
      fingerprint: sql<string>`fingerprint`.as('fingerprint'),
      name: sql<string>`name`.as('name'),
      categoryId: sql`category_id`.as('category_id'),
      status: sql`status`.as('status'),
    })
    // The subquery for the sequence's name runs once, not for each row.
    .as(sql`
      select n::int, nextval((select pg_get_serial_sequence('pets', 'id')::regclass)) as pet_id,
        key_id::uuid, idempotency_key, fingerprint,
        name, category_id::bigint, status::pet_status
      from unnest(${textArray('keyIds')}, ${textArray('idempotencyKeys')},
        ${textArray('fingerprints')}, ${textArray('names')}, ${textArray('categoryIds')},
        ${textArray('statuses')}) with ordinality
        as given (key_id, idempotency_key, fingerprint, name, category_id, status, n)
      where case when key_id is null then true
        else pg_try_advisory_xact_lock(hashtextextended(key_id || ' ' || idempotency_key, 0)) end`);

  const claimed = db.$with('claimed').as(
    db
      .insert(idempotencyKeys)
      .select(
        db
          .select({
            keyId: given.keyId,
            idempotencyKey: given.idempotencyKey,
            fingerprint: given.fingerprint,
            petId: given.petId,
            createdAt: sql`now()`.as('created_at'),
          })
          .from(given)
          .where(isNotNull(given.keyId)),
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
            id: given.petId,
            name: given.name,
            categoryId: given.categoryId,
            status: given.status,
            createdAt: sql`now()`.as('created_at'),
          })
          .from(given)
          .where(or(isNull(given.keyId), sql`pet_id in (select pet_id from ${claimed})`)),
      )
      .returning({ id: pets.id }),
  );

  return db
    .with(given, claimed, inserted)
    .select({ n: given.n, id: inserted.id })
    .from(inserted)
    .innerJoin(given, sql`pet_id = ${inserted.id}`);
});

/**
 * Creates the function that inserts an animal. Animals that arrive while a statement is in flight
 * share the next one.
 *
 * @returns from the function, the animal's id. `undefined` if its `Idempotency-Key` is taken.
 */
export function createPetInserter(
  db: Database,
): (pet: PetInsertion) => Promise<number | undefined> {
  async function insertAll(batch: readonly PetInsertion[]): Promise<(number | undefined)[]> {
    // One statement cannot insert the same key twice. The second pet of a key finds its key taken.
    const petsByKey = Map.groupBy(batch, ({ once, ...pet }) =>
      once === undefined ? pet : `${once.keyId} ${once.idempotencyKey}`,
    );
    const insertions = [...petsByKey.values()].flatMap(([first]) => first ?? []);
    const rows = await insertPets(db, {
      keyIds: insertions.map(({ once }) => once?.keyId ?? null),
      idempotencyKeys: insertions.map(({ once }) => once?.idempotencyKey ?? null),
      fingerprints: insertions.map(({ once }) => once?.fingerprint ?? null),
      names: insertions.map(({ name }) => name),
      categoryIds: insertions.map(({ categoryId }) => String(categoryId)),
      statuses: insertions.map(({ status }) => status),
    });
    const ids = new Map(rows.map(({ n, id }) => [insertions[n - 1], id]));
    return batch.map((insertion) => ids.get(insertion));
  }

  return createBatcher<PetInsertion, number | undefined>(
    (batch) =>
      insertAll(batch).catch((error: unknown) => {
        if (batch.length === 1 || error instanceof DatabaseUnavailableError) throw error;
        // Postgres refused one of the pets, so the statement inserted none. Inserted one by one, only
        // that pet fails.
        return batch.map((insertion) => insertAll([insertion]).then(([id]) => id));
      }),
    { operation: 'create_pet', system: 'postgresql', maxSize: 100, patienceMs: 50 },
  );
}
