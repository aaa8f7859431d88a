import { hash } from 'node:crypto';
import { type NewPet, type Pet, stringifyJson } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import {
  execution,
  oneRow,
  preparedSql,
  preparedStatement,
  requestTable,
  statement,
} from '@animal-store/postgres';
import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import { idempotencyKeys, petIdSequence, pets } from '../schema/schema.ts';
import { createInsertBatcher } from './insert-batcher.ts';
import { toPetRow } from './pet-repository.ts';

/** The default interval at which expired idempotency keys are deleted. */
export const defaultDeleteExpiredMs = 3_600_000;

/** The result of creating an animal with an `Idempotency-Key`. */
export type IdempotentCreation =
  | { readonly outcome: 'created' | 'replayed'; readonly pet: Required<Pet> }
  | { readonly outcome: 'in-progress' | 'key-reused' };

export type IdempotentCreations = ReturnType<typeof createIdempotentCreations>;

/**
 * An `Idempotency-Key` together with the API key that used it. Two API keys may use the same value
 * without a conflict.
 */
interface KeyUse {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/**
 * The SQL expression for the start of the retention period. An idempotency key that was stored
 * before this time has expired and may be used again.
 */
const retentionStart = sql`now() - interval '24 hours'`;

/**
 * Returns the hash under which an idempotency key is stored. A caller may have put a token or a
 * customer's name into the idempotency key. With the hash, a reader of the database does not see
 * it.
 *
 * Replicas of earlier versions store the idempotency key itself. The hash contains a space, which
 * no idempotency key may contain. So a hash never equals an idempotency key that an earlier version
 * has stored.
 */
function hashOf(idempotencyKey: string): string {
  return `sha256 ${hash('sha256', idempotencyKey, 'hex')}`;
}

/**
 * Inserts idempotency keys and their animals in one SQL statement, so that an idempotency key is
 * never stored without its animal. If two requests use the same idempotency key at the same time,
 * the unique index lets only one of them insert. The advisory lock tells the later request
 * immediately that the first request is still running. Without the lock, the later request would
 * wait.
 *
 * During a deployment, a replica of an earlier version may have stored the idempotency key without
 * hashing it. The SQL function `stored_idempotency_key` looks up the unhashed idempotency key. A
 * query inside the function also sees rows that were committed after the statement began, but
 * before the statement got the lock.
 *
 * @returns the id of each inserted animal, by its number `n` in the batch. The id is `null` if
 * another request uses the idempotency key now or has used it in the last 24 hours.
 */
const createPetsOnce = preparedSql<{ n: number; id: string | null }>(
  'create_pets_once',
  sql`
    with claims as (
      select *, nextval(${petIdSequence}) as new_id,
        case when pg_try_advisory_xact_lock(hashtextextended(key_id || ' ' || idempotency_key, 0))
          then stored_idempotency_key(key_id, hash, idempotency_key) end as stored_key
      from ${requestTable(`n int, key_id uuid, idempotency_key text, hash text, fingerprint text,
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

/**
 * The largest number of rows that one statement deletes. Deleting more rows might exceed the
 * statement timeout.
 */
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
  /** The SHA-256 hash of the validated request body, in hexadecimal. */
  readonly fingerprint: string;
}

/**
 * Creates the functions that create an animal at most once for each `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header-07).
 */
export function createIdempotentCreations(db: Database) {
  /**
   * Inserts an animal.
   *
   * @returns the id of the animal; `undefined` if the idempotency key is already in use.
   */
  const insert = createInsertBatcher<Creation, number | undefined>(async (creations) => {
    // One statement cannot insert the same idempotency key twice. Of several creations with the
    // same idempotency key, only the first one is inserted. The other creations find that the
    // idempotency key is in use.
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
    /**
     * Creates an animal, or returns the result of the first creation with the same idempotency key.
     */
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
  };
}

/**
 * Deletes a batch of expired idempotency keys.
 *
 * @returns whether there may be more expired idempotency keys.
 */
export async function deleteExpiredIdempotencyKeys(db: Database): Promise<boolean> {
  return (await deleteExpiredKeys(db)).length === maxDeleted;
}
