import { type Server, startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createDatabase } from '../support/databases.ts';
import { listAll, type Pet } from '../support/list-all-pets.ts';
import { call, wideQuota } from '../support/test-service.ts';

const creations = 1_000;
const connections = 32;
/** How many answers arrive before the server is killed. */
const answersBeforeKill = 400;

const statuses = ['available', 'pending', 'sold'];

// The embedded database is killed together with its server.
test('every animal answered with 201 survives kill -9 during 1,000 creations', async () => {
  await using database = await createDatabase('embedded');
  const token = await createToken(database);
  await using first = await startServer({ env: database.env });

  const created = await createUntilKilled(first, token);
  expect(created.length).toBeGreaterThanOrEqual(answersBeforeKill);
  expect(created.length).toBeLessThan(creations);
  expect(new Set(created.map(({ id }) => id)).size).toBe(created.length);

  await using second = await startServer({ env: database.env });
  const there = await listAll(second, token);
  expect(there.size).toBeLessThanOrEqual(creations);
  for (const pet of created) expect(there.get(pet.id)).toEqual(pet);

  const json = JSON.stringify(newPet(creations));
  const next = (await call(`${second.baseUrl}/pets`, { token, json })).body as Pet;
  expect(next.id).toBeGreaterThan(Math.max(...there.keys()));
});

function newPet(i: number): Omit<Pet, 'id'> {
  return { name: `Animal ${i} 🐾`, categoryId: i - 500, status: statuses[i % 3] ?? '' };
}

async function createToken(database: Awaited<ReturnType<typeof createDatabase>>): Promise<string> {
  const { db, close } = await database.open();
  const key = { name: 'durability', plan: 'enterprise', quota: wideQuota } as const;
  const { token } = await createApiKey(db, key);
  await close();
  return token;
}

/** Creates animals over many connections, kills the server amid them, and gives what it had promised. */
async function createUntilKilled(server: Server, token: string): Promise<Pet[]> {
  const created: Pet[] = [];
  let next = 0;
  let isKilled = false;

  // One request at a time: as many connections as there are of these.
  async function createMany(): Promise<void> {
    while (next < creations && !isKilled) {
      const pet = newPet(next++);
      // Once the server is killed, requests fail that were under way.
      const answer = await call(`${server.baseUrl}/pets`, {
        token,
        json: JSON.stringify(pet),
      }).catch((error: unknown) => {
        if (!isKilled) throw error;
      });
      if (answer === undefined) return;
      expect(answer).toMatchObject({ status: 201, body: pet });
      created.push(answer.body as Pet);
    }
  }

  const creating = Promise.all(Array.from({ length: connections }, createMany));
  await Promise.race([
    creating,
    until(() => created.length >= answersBeforeKill, { intervalMs: 1 }),
  ]);
  isKilled = true;
  await server.kill();
  await creating;
  return created;
}
