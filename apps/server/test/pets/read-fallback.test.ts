import { openPostgres } from '@animal-store/postgres/open-postgres';
import { freePort } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { patientDatabase, useDatabase } from '../support/databases.ts';

const database = useDatabase('postgres');

test('the service reads animals through another connection pool when the pool for reads cannot connect', async () => {
  const nowhere = openPostgres(`postgres://127.0.0.1:${await freePort()}/none`, patientDatabase);
  const { db } = database;
  const { id } = await createPetRepository({ db, reads: db }).create({
    name: 'Rex',
    categoryId: 1,
  });
  const pets = createPetRepository({ db, reads: nowhere.db });
  expect(JSON.parse((await pets.find(id)) ?? '')).toMatchObject({ id, name: 'Rex' });
  expect(await pets.listByIds({ ids: [id], status: undefined, categoryId: undefined })).toContain(
    'Rex',
  );
  // If neither pool can connect, the read fails because the database is unavailable.
  const none = createPetRepository(nowhere);
  await expect(none.find(id)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    attempts: 'reads ECONNREFUSED, requests ECONNREFUSED',
  });
  await nowhere.close();
});
