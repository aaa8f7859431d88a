import { startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createDatabase } from '../support/databases.ts';
import { listAll, type Pet } from '../support/list-all-pets.ts';
import { call, wideQuota } from '../support/test-service.ts';

const creations = 1_000;
const connections = 32;
/** How many answers arrive before the server is killed. */
const answersBeforeKill = 400;

const newPet = (i: number) => ({
  ...{ name: `Animal ${i} 🐾`, categoryId: i - 500 },
  status: ['available', 'pending', 'sold'][i % 3] ?? '',
});

// The embedded database is killed together with its server.
test('every animal answered with 201 survives kill -9 during 1,000 creations', async () => {
  await using database = await createDatabase('embedded');
  const { db, close } = await database.open();
  const key = { name: 'durability', plan: 'enterprise', quota: wideQuota } as const;
  const { token } = await createApiKey(db, key);
  await close();
  await using first = await startServer({ env: database.env });

  const created: Pet[] = [];
  let next = 0;
  let isKilled = false;
  async function createMany(): Promise<void> {
    while (next < creations && !isKilled) {
      const pet = newPet(next++);
      const json = JSON.stringify(pet);
      // Once the server is killed, requests fail that were under way.
      const answer = await call(`${first.baseUrl}/pets`, { token, json }).catch((error) => {
        if (!isKilled) throw error;
      });
      if (answer === undefined) return;
      expect(answer).toMatchObject({ status: 201, body: pet });
      created.push(answer.body as Pet);
    }
  }
  const creating = Promise.all(Array.from({ length: connections }, createMany));
  const isEnough = until(() => created.length >= answersBeforeKill, { intervalMs: 1 });
  await Promise.race([creating, isEnough]);
  isKilled = true;
  await first.kill();
  await creating;
  expect(created.length).toBeGreaterThanOrEqual(answersBeforeKill);
  expect(created.length).toBeLessThan(creations);
  expect(new Set(created.map(({ id }) => id)).size).toBe(created.length);

  await using second = await startServer({ env: database.env });
  const there = await listAll(second, token);
  expect(there.size).toBeLessThanOrEqual(creations);
  for (const pet of created) expect(there.get(pet.id)).toEqual(pet);
  const json = JSON.stringify(newPet(creations));
  const { id } = (await call(`${second.baseUrl}/pets`, { token, json })).body as Pet;
  expect(id).toBeGreaterThan(Math.max(...there.keys()));
});
