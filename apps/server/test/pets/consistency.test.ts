import { findLink } from '@animal-store/contract';
import { openTcpProxy, startServer } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { encodeCursor } from '../../src/pets/pet-cursor.ts';
import { createDatabase } from '../support/databases.ts';
import { type Replicas, randomOf, startReplicas } from '../support/replicas.ts';
import type { Answer } from '../support/send.ts';
import { call, wideQuota } from '../support/test-service.ts';

type Pet = { id: number; status: string };

// Each replica collects concurrent lists, gets and creations into shared statements.
describe('replicas under concurrent load', () => {
  let replicas: Replicas;
  let token: string;
  beforeAll(async () => {
    const replicasOfThisRun = inject('isHeavy') ? 3 : 2;
    replicas = await startReplicas({ env: Array(replicasOfThisRun).fill({}) });
    token = await replicas.createToken(wideQuota);
  });
  afterAll(() => replicas[Symbol.asyncDispose]());

  /** Sends a request to any replica, as a load balancer would. */
  const ask = async (path: string, json?: string): Promise<Answer> =>
    call(randomOf(replicas.servers).baseUrl + path, { token, ...(json !== undefined && { json }) });

  async function create(status: string): Promise<Pet> {
    const answer = await ask('/pets', `{"name":"Rex","categoryId":1,"status":"${status}"}`);
    expect(answer.status).toBe(201);
    return answer.body as Pet;
  }

  async function list(query: string): Promise<{ ids: number[]; next: string }> {
    const { status, body, headers } = await ask(`/pets${query}`);
    expect({ status, body }).toMatchObject({ status: 200, body: expect.any(Array) });
    return {
      ids: (body as Pet[]).map(({ id }) => id),
      next: new URL(findLink(headers.get('Link') ?? '', 'next') ?? 'http://none').search,
    };
  }

  // The lists of a status are the same request for all writers, so they share statements. 96 animals
  // of a status fit on one page.
  test.each(['sold', 'pending'])(
    'after the 201 of a POST, every replica shows the %s animal in a get and in lists',
    async (status) => {
      async function writeAndRead(): Promise<void> {
        for (let i = 0; i < 4; i += 1) {
          const { id } = await create(status);
          // The page that begins with the animal.
          const cursor = encodeCursor({ status: undefined, afterId: id - 1 });
          const ownPage = id === 1 ? '?limit=1' : `?limit=1&cursor=${cursor}`;
          const [got, page, sharedPage] = await Promise.all([
            ask(`/pets/${id}`),
            list(ownPage),
            list(`?limit=100&status=${status}`),
          ]);
          expect(got.status).toBe(200);
          expect(page.ids).toEqual([id]);
          expect(sharedPage.ids).toContain(id);
        }
      }
      await Promise.all(Array.from({ length: 24 }, writeAndRead));
    },
  );

  test('an animal acknowledged before the first page was requested is on exactly one page', async () => {
    const acknowledged: number[] = [];
    const writing = Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let i = 0; i < 25; i += 1) acknowledged.push((await create('available')).id);
      }),
    );
    async function walk(firstPage: string): Promise<void> {
      const before = [...acknowledged];
      const seen: number[] = [];
      for (let query = firstPage; query !== ''; ) {
        const { ids, next } = await list(query);
        seen.push(...ids);
        query = next;
      }
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      expect(before.filter((id) => !seen.includes(id))).toEqual([]);
    }
    async function keepWalking(firstPage: string): Promise<void> {
      do await walk(firstPage);
      while (acknowledged.length < 16 * 25);
      await walk(firstPage);
    }
    await Promise.all([
      writing,
      ...['?limit=20&status=available', '?limit=50', '?limit=100'].map(keepWalking),
    ]);
    expect(acknowledged).toHaveLength(16 * 25);
  });
});

// The far replica's reads are in flight for 40 ms, so nearly every creation on the near one is
// committed while some are. A read that joined one of them would not show the animal.
test('after the 201 of a POST on one replica, a far replica with reads in flight shows it', async () => {
  await using database = await createDatabase('postgres');
  const { db, close } = await database.open();
  const key = { name: 'reader', plan: 'enterprise', quota: wideQuota } as const;
  const { token } = await createApiKey(db, key);
  await close();

  const url = database.env['DATABASE_URL'] ?? '';
  const { hostname: host, port } = new URL(url);
  await using proxy = await openTcpProxy({ target: { host, port: Number(port) } });
  await using near = await startServer({ env: { DATABASE_URL: url } });
  await using far = await startServer({ env: { DATABASE_URL: proxy.via(url) } });
  proxy.delay(20);

  let nextId = 1;
  const readAll = (id: number) =>
    Promise.all(
      [`/pets/${id}`, '/pets?limit=100', '/pets?limit=100&status=sold'].map((path) =>
        call(far.baseUrl + path, { token }),
      ),
    );
  let isOver = false;
  const reading = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) await readAll(nextId);
    }),
  );
  try {
    for (; nextId <= 20; nextId += 1) {
      const json = '{"name":"Rex","categoryId":1,"status":"sold"}';
      const created = await call(`${near.baseUrl}/pets`, { token, json });
      expect(created.body).toMatchObject({ id: nextId });
      const [got, all, sold] = await readAll(nextId);
      expect(got?.body).toEqual(created.body);
      expect(all?.body).toContainEqual(created.body);
      expect(sold?.body).toContainEqual(created.body);
    }
  } finally {
    isOver = true;
    await reading;
  }
});
