import { findLink } from '@animal-store/contract';
import { openTcpProxy, type TcpProxy } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { encodeCursor } from '../../src/pets/pet-cursor.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import type { Answer } from '../support/send.ts';
import { call, wideQuota } from '../support/test-service.ts';

type Pet = { id: number; status: string };

// Each replica collects concurrent lists, gets and creations into shared statements.
const stack = new AsyncDisposableStack();
/** What the far replica reaches the database through. */
let proxy: TcpProxy;
let near: LocalServer;
let far: LocalServer;
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
    stack.use(
      await openLocalServer(
        { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' },
        { clock: systemClock },
      ),
    );
  [near, far] = await Promise.all([start(url), start(proxy.via(url))]);
});
afterAll(() => stack.disposeAsync());

const ask = (server: LocalServer, path: string, json?: string): Promise<Answer> =>
  call(server.baseUrl + path, { token, ...(json !== undefined && { json }) });

async function create(server: LocalServer, status: string): Promise<Pet> {
  const answer = await ask(server, '/pets', `{"name":"Rex","categoryId":1,"status":"${status}"}`);
  expect(answer.status).toBe(201);
  return answer.body as Pet;
}

async function list(server: LocalServer, query: string): Promise<{ ids: number[]; next: string }> {
  const { status, body, headers } = await ask(server, `/pets${query}`);
  expect({ status, body }).toMatchObject({ status: 200, body: expect.any(Array) });
  return {
    ids: (body as Pet[]).map(({ id }) => id),
    next: new URL(findLink(headers.get('Link') ?? '', 'next') ?? 'http://none').search,
  };
}

/** The page that begins after an animal, and has the next hundred. */
const pageAfter = (afterId: number, status?: 'sold' | 'available') => {
  const filter = status === undefined ? '' : `&status=${status}`;
  return `?limit=100${filter}&cursor=${encodeCursor({ status, afterId })}`;
};

test('an animal acknowledged before the first page was requested is on exactly one page', async () => {
  const total = 100;
  const acknowledged: number[] = [];
  async function write(_: unknown, writer: number): Promise<void> {
    const server = writer % 2 === 0 ? near : far;
    while (acknowledged.length < total) {
      acknowledged.push((await create(server, 'available')).id);
    }
  }
  async function walk(firstPage: string): Promise<void> {
    const before = [...acknowledged];
    const seen: number[] = [];
    for (let query = firstPage; query !== ''; ) {
      const { ids, next } = await list(seen.length % 2 === 0 ? near : far, query);
      seen.push(...ids);
      query = next;
    }
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(before.filter((id) => !seen.includes(id))).toEqual([]);
  }
  async function keepWalking(firstPage: string): Promise<void> {
    do await walk(firstPage);
    while (acknowledged.length < total);
    await walk(firstPage);
  }
  await Promise.all([
    ...Array.from({ length: 16 }, write),
    ...['?limit=19&status=available', '?limit=50', '?limit=99'].map(keepWalking),
  ]);
});

// The far replica's reads are in flight for 40 ms, so nearly every creation on the near one is
// committed while some are. A read that joined one of them would not show the animal.
test('after the 201 of a POST on one replica, a far replica with reads in flight shows it', async () => {
  const { id: afterId } = await create(near, 'available');
  const paths = [pageAfter(afterId), pageAfter(afterId, 'available')].map((it) => `/pets${it}`);
  const readAll = (id: number) =>
    Promise.all([`/pets/${id}`, ...paths].map((path) => ask(far, path)));

  proxy.delay(20);
  let nextId = afterId + 1;
  let isOver = false;
  const reading = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) await readAll(nextId);
    }),
  );
  try {
    for (; nextId <= afterId + 8; nextId += 1) {
      const created = await create(near, 'available');
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
