import { hash } from 'node:crypto';
import { type NewPet, type Pet, stringifyJson } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import {
  execution,
  given,
  oneRow,
  preparedSql,
  preparedStatement,
  statement,
} from '@animal-store/postgres';
import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import { idempotencyKeys, petIdSequence, pets } from '../schema/schema.ts';
import { createInsertBatcher } from './insert-batcher.ts';
import { toPetRow } from './pet-repository.ts';

/** The default interval between deletions of expired idempotency keys. */
export const defaultDeleteExpiredMs = 3_600_000;

/** The result of a creation with an `Idempotency-Key`. */
export type IdempotentCreation =
  | { readonly outcome: 'created' | 'replayed'; readonly pet: Required<Pet> }
  | { readonly outcome: 'in-progress' | 'key-reused' };

export type IdempotentCreations = ReturnType<typeof createIdempotentCreations>;

/** An `Idempotency-Key` of one API key. Equal values of two API keys do not conflict. */
interface KeyUse {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/**
 * The start of the retention period. A key that was last used before this time may be used again.
 */
const retentionStart = sql`now() - interval '24 hours'`;

/**
 * Returns the stored form of an idempotency key. The key is hashed because a caller may have put a
 * token or a customer's name into it. Replicas of earlier versions store keys unhashed; the space
 * in the hash makes a collision impossible, because no key contains one.
 */
function hashOf(idempotencyKey: string): string {
  return `sha256 ${hash('sha256', idempotencyKey, 'hex')}`;
}

/**
 * Inserts idempotency keys and their pets in one statement, so that a key is never stored without
 * its pet. The unique index decides between concurrent requests with the same key. The advisory
 * lock only tells the later request that the first one is still running; without the lock, it would
 * wait.
 *
 * During the last 24 hours a replica of an earlier version may have stored the key unhashed. A
 * function looks it up, because a function sees rows that were committed after this statement began
 * and before it got the lock.
 *
 * @returns the id of each inserted pet, by its number `n` in the batch. The id is `null` if another
 * request uses the key or has used it in the last 24 hours.
 */
const createPetsOnce = preparedSql<{ n: number; id: string | null }>(
  'create_pets_once',
  sql`
    with claims as (
      select *, nextval(${petIdSequence}) as new_id,
        case when pg_try_advisory_xact_lock(hashtextextended(key_id || ' ' || idempotency_key, 0))
          then stored_idempotency_key(key_id, hash, idempotency_key) end as stored_key
      from ${given(`n int, key_id uuid, idempotency_key text, hash text, fingerprint text,
        name text, category_id bigint, status pet_status`)}
    ), claimed as (
      insert into ${idempotencyKeys} as known (key_id, idempotency_key, fingerprint, pet_id)
      select key_id, stored_key, fingerprint, new_id from claims where stored_key is not null
      on conflict (key_id, idempotency_key) do update
        set fingerprint = excluded.fingerprint, pet_id = excluded.pet_id, created_at = now()
        where known.created_at <= ${retentionStart}
      returning pet_id
    ), inserted as (
      insert into ${pets} (id, name, category_id, status)
      select new_id, name, category_id, status from claims join claimed on new_id = pet_id
    )
    select n, pet_id as id, ${execution} as execution from claims left join claimed on new_id = pet_id`,
);

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

/** The most rows that one statement deletes. More rows might exceed the statement timeout. */
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

/** One request in a batch for {@link createPetsOnce}. */
interface Creation extends KeyUse {
  readonly pet: Omit<Required<Pet>, 'id'>;
  /** SHA-256 of the validated body, in hexadecimal. */
  readonly fingerprint: string;
}

/**
 * Creates the store that creates an animal at most once per `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header-07).
 */
export function createIdempotentCreations(db: Database) {
  /** @returns the id of the pet; `undefined` if the key is already in use. */
  const insert = createInsertBatcher<Creation, number | undefined>(async (creations) => {
    // One statement cannot insert the same key twice. For the second creation, the key is in use.
    const byKey = Map.groupBy(creations, (it) => `${it.keyId} ${it.idempotencyKey}`);
    const firsts = [...byKey.values()].flatMap(([first]) => first ?? []);
    const rows = await createPetsOnce(
      db,
      firsts.map(({ keyId, idempotencyKey, fingerprint, pet }) => ({
        key_id: keyId,
        idempotency_key: idempotencyKey,
        hash: hashOf(idempotencyKey),
        fingerprint,
        ...toPetRow(pet),
      })),
    );
    const ids = new Map(rows.map(({ n, id }) => [firsts[n], id === null ? undefined : Number(id)]));
    return creations.map((creation) => ids.get(creation));
  });

  return {
    /** Creates an animal, or repeats the result of the first creation with the same key. */
    async create(
      use: KeyUse,
      { name, categoryId, status = 'available' }: NewPet,
    ): Promise<IdempotentCreation> {
      const pet = { name, categoryId, status };
      const fingerprint = hash('sha256', stringifyJson(pet), 'hex');
      const id = await insert({ ...use, pet, fingerprint });
      if (id !== undefined) return { outcome: 'created', pet: { id, ...pet } };

      const [earlier] = await findEarlierCreation(db, {
        ...use,
        hash: hashOf(use.idempotencyKey),
      });
      if (earlier?.petId == null) return { outcome: 'in-progress' };
      if (earlier.fingerprint !== fingerprint) return { outcome: 'key-reused' };
      return { outcome: 'replayed', pet: { id: earlier.petId, ...pet } };
    },

    /**
     * Deletes a batch of expired idempotency keys.
     *
     * @returns whether there may be more expired keys.
     */
    async deleteExpired(): Promise<boolean> {
      return (await deleteExpiredKeys(db)).length === maxDeleted;
    },
  };
}
