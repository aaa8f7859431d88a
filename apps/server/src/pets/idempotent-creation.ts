import { hash } from 'node:crypto';
import { type NewPet, type Pet, stringifyJson } from '@animal-store/contract';
import { and, eq, gt, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { idempotencyKeys, petIdSequence, pets } from '../database/schema.ts';
import {
  execution,
  oneRow,
  preparedStatement,
  statement,
  textArray,
} from '../database/statement.ts';
import { createInsertBatcher } from './insert-batcher.ts';

/** The result of a creation with an `Idempotency-Key`. */
export type IdempotentCreation =
  | { readonly outcome: 'created' | 'replayed'; readonly pet: Required<Pet> }
  | { readonly outcome: 'in-progress' | 'key-reused' };

export type IdempotentCreations = ReturnType<typeof createIdempotentCreations>;

/** An API key and its `Idempotency-Key`: the keys of two callers never conflict. */
interface Scope {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** A key that was used before this time may be used again. */
const retentionStart = sql`now() - interval '24 hours'`;

/**
 * How an idempotency key is stored: a caller may have put a token into it, or a customer's name. The space
 * keeps stored hashes apart from the keys that replicas of versions before store as they are: no key has one.
 */
function hashOf(idempotencyKey: string): string {
  return `sha256 ${hash('sha256', idempotencyKey, 'hex')}`;
}

/**
 * Inserts idempotency keys and their pets. Each pair is there, or neither is: it is one statement.
 * The unique index decides between concurrent requests with the same key. The advisory lock only
 * tells the later one that the first is still running; without it, the later one would wait.
 *
 * A row of the last 24 hours may have the key itself, from a replica of a version before. It is asked for by a
 * function because that sees what was committed after this statement began and before it got the lock.
 *
 * @returns the id of each inserted pet, by its number `n` in the batch; `null` if its key is taken, by a
 * row of the last 24 hours or by a request in flight.
 */
const createPetsOnce = preparedStatement('create_pets_once', (db) => {
  const given = db
    .$with('given', {
      n: sql<number>`n`.as('n'),
      newId: sql`new_id`.as('new_id'),
      keyId: sql`key_id`.as('key_id'),
      storedKey: sql`stored_key`.as('stored_key'),
      fingerprint: sql`fingerprint`.as('fingerprint'),
      name: sql`name`.as('name'),
      categoryId: sql`category_id`.as('category_id'),
      status: sql`status`.as('status'),
    })
    .as(sql`
      select n::int, nextval(${petIdSequence}) as new_id, key_id::uuid, fingerprint,
        name, category_id::bigint, status::pet_status,
        case when pg_try_advisory_xact_lock(hashtextextended(key_id || ' ' || idempotency_key, 0))
          then stored_idempotency_key(key_id::uuid, hash, idempotency_key) end as stored_key
      from unnest(${textArray('keyIds')}, ${textArray('idempotencyKeys')}, ${textArray('hashes')},
        ${textArray('fingerprints')}, ${textArray('names')}, ${textArray('categoryIds')},
        ${textArray('statuses')}) with ordinality
        as given (key_id, idempotency_key, hash, fingerprint, name, category_id, status, n)`);

  const claimed = db.$with('claimed').as(
    db
      .insert(idempotencyKeys)
      .select(
        db
          .select({
            keyId: given.keyId,
            idempotencyKey: given.storedKey,
            fingerprint: given.fingerprint,
            petId: given.newId,
            createdAt: sql`now()`.as('created_at'),
          })
          .from(given)
          .where(isNotNull(given.storedKey)),
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
      .returning({ id: idempotencyKeys.petId }),
  );
  const isClaimed = sql`new_id = ${claimed.id}`;

  const inserted = db.$with('inserted').as(
    db
      .insert(pets)
      .select(
        db
          .select({
            id: claimed.id,
            name: given.name,
            categoryId: given.categoryId,
            status: given.status,
            createdAt: sql`now()`.as('created_at'),
          })
          .from(given)
          .innerJoin(claimed, isClaimed),
      )
      .returning({ id: pets.id }),
  );

  return db
    .with(given, claimed, inserted)
    .select({ n: given.n, id: claimed.id, execution })
    .from(given)
    .leftJoin(claimed, isClaimed);
});

const findEarlierCreation = preparedStatement('find_earlier_creation', (db) =>
  db
    .select({
      fingerprint: idempotencyKeys.fingerprint,
      petId: idempotencyKeys.petId,
      execution,
    })
    .from(oneRow)
    .leftJoin(
      idempotencyKeys,
      and(
        eq(idempotencyKeys.keyId, sql.placeholder('keyId')),
        inArray(idempotencyKeys.idempotencyKey, [
          sql.placeholder('hash'),
          sql.placeholder('idempotencyKey'),
        ]),
        gt(idempotencyKeys.createdAt, retentionStart),
      ),
    ),
);

/** The most rows that one statement deletes, so that it stays below the statement timeout. */
const maxDeleted = 1_000;

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

/** What {@link createPetsOnce} inserts of one request. */
interface Creation extends Scope {
  readonly pet: Omit<Required<Pet>, 'id'>;
  /** SHA-256 of the validated body, in hexadecimal. */
  readonly fingerprint: string;
}

/**
 * Creates animals at most once per `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
 */
export function createIdempotentCreations(db: Database) {
  /** @returns the id of the pet. `undefined` if the key is taken. */
  const insert = createInsertBatcher<Creation, number | undefined>(async (creations) => {
    // One statement cannot insert the same key twice. The second creation finds the key taken.
    const byKey = Map.groupBy(creations, (it) => `${it.keyId} ${it.idempotencyKey}`);
    const firsts = [...byKey.values()].flatMap(([first]) => first ?? []);
    const values = {
      keyIds: firsts.map(({ keyId }) => keyId),
      idempotencyKeys: firsts.map(({ idempotencyKey }) => idempotencyKey),
      hashes: firsts.map(({ idempotencyKey }) => hashOf(idempotencyKey)),
      fingerprints: firsts.map(({ fingerprint }) => fingerprint),
      names: firsts.map(({ pet }) => pet.name),
      categoryIds: firsts.map(({ pet }) => String(pet.categoryId)),
      statuses: firsts.map(({ pet }) => pet.status),
    };
    const rows = await createPetsOnce(db, values, firsts.length);
    const ids = new Map(rows.map(({ n, id }) => [firsts[n - 1], id ?? undefined]));
    return creations.map((creation) => ids.get(creation));
  });

  return {
    /** Creates an animal, or repeats the result of the key's first creation. */
    async create(
      scope: Scope,
      { name, categoryId, status = 'available' }: NewPet,
    ): Promise<IdempotentCreation> {
      const pet = { name, categoryId, status };
      const fingerprint = hash('sha256', stringifyJson(pet), 'hex');
      const id = await insert({ ...scope, pet, fingerprint });
      if (id !== undefined) return { outcome: 'created', pet: { id, ...pet } };

      const [earlier] = await findEarlierCreation(db, {
        ...scope,
        hash: hashOf(scope.idempotencyKey),
      });
      if (earlier?.petId == null) return { outcome: 'in-progress' };
      if (earlier.fingerprint !== fingerprint) return { outcome: 'key-reused' };
      return { outcome: 'replayed', pet: { id: earlier.petId, ...pet } };
    },

    /**
     * Deletes some of the keys that may be used again anyway.
     *
     * @returns whether there may be more.
     */
    async deleteExpired(): Promise<boolean> {
      return (await deleteExpiredKeys(db)).length === maxDeleted;
    },
  };
}
