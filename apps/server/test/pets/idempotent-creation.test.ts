import { hash } from 'node:crypto';
import type { NewPet } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import { inTransaction } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createIdempotentCreations,
  deleteExpiredIdempotencyKeys,
} from '../../src/pets/idempotent-creation.ts';
import { idempotencyKeys, pets } from '../../src/schema/schema.ts';
import { databaseKinds, useDatabase } from '../support/databases.ts';
import { select } from '../support/explain.ts';

const keyId = '4f0c1e5a-3b7d-4a51-9d5e-6c1f0a2b3c4d';
const otherKeyId = '00000000-0000-4000-8000-000000000000';

/** Returns the hash under which an idempotency key is stored. */
const hashOf = (key: string) => `sha256 ${hash('sha256', key, 'hex')}`;

describe.each(databaseKinds)('database %s', (kind) => {
  const opened = useDatabase(kind);
  beforeEach(async () => {
    await opened.db.delete(pets);
    await opened.db.delete(idempotencyKeys);
  });

  const namesOfAll = async () =>
    (await opened.db.select({ name: pets.name }).from(pets)).map(({ name }) => name).sort();

  const storedKeys = async () => {
    const { idempotencyKey: key } = idempotencyKeys;
    return (await opened.db.select({ key }).from(idempotencyKeys)).map((row) => row.key);
  };

  /**
   * Creates animals with idempotency keys, all at the same time. `pet` is the name of the animal or
   * the whole body.
   */
  async function create(...requests: [key: string, pet: string | NewPet, keyId?: string][]) {
    const creations = createIdempotentCreations(opened.db);
    const results = await Promise.allSettled(
      requests.map(([idempotencyKey, pet, ofKey = keyId]) =>
        creations.create(
          { keyId: ofKey, idempotencyKey },
          typeof pet === 'string' ? { name: pet, categoryId: 1 } : pet,
        ),
      ),
    );
    return results.map((it) => (it.status === 'fulfilled' ? it.value.outcome : 'failed'));
  }

  test('a creation whose idempotency key is already in use does not affect other creations in the same SQL statement', async () => {
    await create(['taken', 'earlier']);
    expect(
      await create(
        ['first', 'first'],
        ['taken', 'earlier'],
        ['taken', 'another body'],
        ['taken', 'of another', otherKeyId],
        ['Taken', 'in another case'],
        ['twice', 'twice'],
        ['twice', 'twice'],
        ['twice', 'another body'],
        ['last', 'last'],
      ),
    ).toEqual([
      ...['created', 'replayed', 'key-reused', 'created', 'created'],
      ...['created', 'replayed', 'key-reused', 'created'],
    ]);
    const created = ['earlier', 'first', 'in another case', 'last', 'of another', 'twice'];
    expect(await namesOfAll()).toEqual(created);
  });

  test('a used idempotency key is refused with another body, but the first request can still be repeated', async () => {
    const first = { name: 'Rex', categoryId: 9007199254740993n };
    await create(['key', first]);
    for (const other of [
      { name: 'Rey' },
      { categoryId: 9007199254740992n },
      { status: 'sold' as const },
    ]) {
      expect(await create(['key', { ...first, ...other }])).toEqual(['key-reused']);
    }
    // A body without a status means the same as a body with the status `available`.
    expect(await create(['key', { ...first, status: 'available' }])).toEqual(['replayed']);
  });

  const age = (age: string) =>
    opened.db.update(idempotencyKeys).set({ createdAt: sql`now() - ${age}::interval` });

  test('an idempotency key is stored for 24 hours and can be used with another body afterwards', async () => {
    await create(['key', 'a']);
    await age('23 hours 59 minutes');
    expect(await create(['key', 'a'], ['key', 'b'])).toEqual(['replayed', 'key-reused']);
    await age('24 hours 1 minute');
    expect(await create(['key', 'b'])).toEqual(['created']);
    expect(await create(['key', 'b'], ['key', 'a'])).toEqual(['replayed', 'key-reused']);
  });

  test('deleteExpiredIdempotencyKeys deletes idempotency keys that are older than 24 hours, at most a thousand per call', async () => {
    await opened.db.execute(sql`
      insert into idempotency_keys (key_id, idempotency_key, fingerprint, pet_id, created_at)
      select gen_random_uuid(), 'piled up', '', 1, now() - interval '24 hours 1 minute'
      from generate_series(1, 2500)`);
    await create(['kept', 'kept']);
    const deleteExpired = () => deleteExpiredIdempotencyKeys(opened.db);
    const isMore = [await deleteExpired(), await deleteExpired(), await deleteExpired()];
    expect(isMore).toEqual([true, true, false]);
    expect(await storedKeys()).toEqual([hashOf('kept')]);
  });

  // Only one process can open the embedded database, so no replica of the previous version can use
  // it at the same time.
  if (kind !== 'postgres') return;
  describe('with a replica of the previous version running', () => {
    /**
     * Stores an idempotency key as the previous version did before it added the animal. Returns the
     * number of inserted rows.
     */
    const claim = async (db: Database, key: string) => {
      const query = sql`
        insert into idempotency_keys (key_id, idempotency_key, fingerprint, pet_id)
        select ${keyId}::uuid, ${key}, '', 1
        where pg_try_advisory_xact_lock(hashtextextended(${keyId} || ' ' || ${key}, 0))
        on conflict (key_id, idempotency_key) do update set pet_id = excluded.pet_id
          where idempotency_keys.created_at <= now() - interval '24 hours'
        returning pet_id`;
      return (await select(db, query)).length;
    };

    test('an idempotency key is stored as a hash, but a replica of the previous version still finds that the idempotency key was used', async () => {
      await create(['new', 'new']);
      expect(await storedKeys()).toEqual([hashOf('new')]);
      expect(await claim(opened.db, 'new')).toBe(0);
    });

    test('both versions replay a creation for 24 hours if the previous version stored its idempotency key (unhashed)', async () => {
      await create(['before', 'before']);
      await opened.db.update(idempotencyKeys).set({ idempotencyKey: 'before' });
      await age('23 hours 59 minutes');
      expect(await claim(opened.db, 'before')).toBe(0);
      expect(await create(['before', 'before'], ['before', 'x'])).toEqual([
        'replayed',
        'key-reused',
      ]);
      await age('24 hours 1 minute');
      expect(await create(['before', 'x'])).toEqual(['created']);
    });

    test('an idempotency key cannot create a second animal during or after a request to a replica of the previous version', async () => {
      await inTransaction('a_test', opened.db, async (tx) => {
        expect(await claim(tx, 'both')).toBe(1);
        expect(await create(['both', 'x'])).toEqual(['in-progress']);
      });
      expect(await create(['both', 'x'])).toEqual(['key-reused']);
    });
  });
});
