import { findLink } from '@animal-store/contract';
import { openTcpProxy, type Server, startServer, type TcpProxy } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { encodeCursor } from '../../src/pets/pet-cursor.ts';
import { createDatabase } from '../support/databases.ts';
import { listAll } from '../support/list-all-pets.ts';
import { randomOf } from '../support/replicas.ts';
import type { Answer } from '../support/send.ts';
import { call, wideQuota } from '../support/test-service.ts';

type Pet = { id: number; status: string };

const replicasOfThisRun = inject('isHeavy') ? 3 : 2;

// Each replica collects concurrent lists, gets and creations into shared statements.
describe('replicas under concurrent load', () => {
  const stack = new AsyncDisposableStack();
  /** What the far replica reaches the database through. */
  let proxy: TcpProxy;
  let replicas: readonly Server[];
  let near: Server;
  let far: Server;
  let token: string;
  beforeAll(async () => {
    const database = stack.use(await createDatabase('postgres'));
    const { db, close } = await database.open();
    const key = { name: 'reader', plan: 'enterprise', quota: wideQuota } as const;
    ({ token } = await createApiKey(db, key));
    await close();

    const url = database.env['DATABASE_URL'] ?? '';
    const { hostname: host, port } = new URL(url);
    proxy = stack.use(await openTcpProxy({ target: { host, port: Number(port) } }));
    const start = async (databaseUrl: string) =>
      // Not a line for each of many requests, which nobody here reads.
      stack.use(await startServer({ env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' } }));
    const nearOnes = Array.from({ length: replicasOfThisRun - 1 }, () => start(url));
    replicas = await Promise.all([...nearOnes, start(proxy.via(url))]);
    [near, far] = [replicas.at(0) as Server, replicas.at(-1) as Server];
  });
  afterAll(() => stack.disposeAsync());

  /** Sends a request to any replica, as a load balancer would. */
  const ask = async (path: string, json?: string): Promise<Answer> =>
    call(randomOf(replicas).baseUrl + path, { token, ...(json !== undefined && { json }) });

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
  // of a status fit on one page: the other tests make available ones only.
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

  // The far replica's reads are in flight for 40 ms, so nearly every creation on the near one is
  // committed while some are. A read that joined one of them would not show the animal.
  test('after the 201 of a POST on one replica, a far replica with reads in flight shows it', async () => {
    const createNear = async () => {
      const json = '{"name":"Rex","categoryId":1,"status":"available"}';
      const created = await call(`${near.baseUrl}/pets`, { token, json });
      expect(created.status).toBe(201);
      return created.body as Pet;
    };
    // Pages that begin with the animals of this test, and hold all of them.
    const { id: afterId } = await createNear();
    const all = `/pets?limit=100&cursor=${encodeCursor({ afterId })}`;
    const available = `/pets?limit=100&status=available&cursor=${encodeCursor({ status: 'available', afterId })}`;
    const readAll = (id: number) =>
      Promise.all(
        [`/pets/${id}`, all, available].map((path) => call(far.baseUrl + path, { token })),
      );

    proxy.delay(20);
    let nextId = afterId + 1;
    let isOver = false;
    const reading = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) await readAll(nextId);
      }),
    );
    try {
      for (; nextId <= afterId + 20; nextId += 1) {
        const created = await createNear();
        expect(created).toMatchObject({ id: nextId });
        const [got, all, available] = await readAll(nextId);
        expect(got?.body).toEqual(created);
        expect(all?.body).toContainEqual(created);
        expect(available?.body).toContainEqual(created);
      }
    } finally {
      isOver = true;
      await reading;
      proxy.delay(0);
    }
  });

  test('the cursor of one replica holds on another', async () => {
    for (let n = 0; n < 4; n += 1) await create('available');
    const list = (server: Server, query: string) =>
      call(`${server.baseUrl}/pets${query}`, { token });
    const all = (await list(near, '?status=available&limit=4')).body as Pet[];
    const first = await list(near, '?status=available&limit=2');
    const next = new URL(findLink(first.headers.get('Link') ?? '', 'next') ?? 'http://none');
    expect(next.searchParams.get('cursor')).toMatch(/^[\w-]+$/);
    const second = await list(far, next.search);
    expect([first.body, second.body]).toEqual([all.slice(0, 2), all.slice(2)]);
  });

  test('a creation is replayed by another replica', async () => {
    const create = (server: Server) =>
      call(`${server.baseUrl}/pets`, {
        token,
        json: '{"name":"Once","categoryId":1,"status":"available"}',
        headers: { 'Idempotency-Key': 'once' },
      });
    const first = await create(near);
    expect(first.headers.has('Idempotent-Replayed')).toBe(false);
    const second = await create(far);
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    const pets = await listAll(near, token);
    expect([...pets.values()].filter(({ name }) => name === 'Once')).toHaveLength(1);
  });
});
