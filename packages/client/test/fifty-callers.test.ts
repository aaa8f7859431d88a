import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Server, startServer, until } from '@animal-store/testkit';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createClient, isApiError, type Pet } from '../src/index.ts';

// Fifty callers that share one client with a Free key: 60 requests a minute, 1,000 a day. The service
// is the real one; its clock and the client's are moved together when everybody waits.

const clock = pathToFileURL(join(import.meta.dirname, 'movable-clock.mjs')).href;
const adminToken = 'an-admin-token-for-tests';
let server: Server;
/** How often the clocks were moved. */
let minutes = 0;

beforeAll(async () => {
  const env = { NODE_OPTIONS: `--import=${clock}`, ADMIN_TOKEN: adminToken };
  server = await startServer({ env });
  return () => server[Symbol.asyncDispose]();
});

beforeEach(() => {
  vi.useFakeTimers({
    now: Date.now() + minutes * 61_000,
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
  });
});

afterEach(() => {
  vi.useRealTimers();
});

async function createFreeKey(): Promise<string> {
  const response = await fetch(`${server.opsUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
    body: '{"plan":"free"}',
  });
  return ((await response.json()) as { token: string }).token;
}

async function open() {
  const statuses: number[] = [];
  let inFlight = 0;
  const store = createClient({
    baseUrl: server.baseUrl,
    apiKey: await createFreeKey(),
    // Its clock jumps while a request is on its way.
    timeoutMs: Number.POSITIVE_INFINITY,
    // A call may begin a second before its minute does, while the clocks move: longer than a minute.
    maxRetryAfterMs: 120_000,
    async fetch(url, init) {
      inFlight++;
      try {
        const response = await fetch(url, init);
        statuses.push(response.status);
        return new Response(await response.text(), response);
      } finally {
        inFlight--;
      }
    },
  });

  async function moveClocks() {
    server.signal('SIGUSR2');
    const moved = `The clock is ${++minutes * 61_000} ms ahead.`;
    await until(() => server.output().includes(moved), { intervalMs: 1 });
    await vi.advanceTimersByTimeAsync(61_000);
  }

  return {
    store,
    statuses,
    moveClocks,
    /** Moves the clocks on, a minute at a time, whenever all callers wait, until they are done. */
    async settle<T>(calls: Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
      let isDone = false;
      const settled = Promise.allSettled(calls).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await until(() => isDone || inFlight === 0, { intervalMs: 1 });
        // An answer that has just arrived may bring about the next request.
        await new Promise((resolve) => setImmediate(resolve));
        if (!isDone && inFlight === 0) await moveClocks();
      }
      return settled;
    },
  };
}

const fifty = Array.from({ length: 50 }, (_, index) => index);

test('all are answered, after the reset if need be', async () => {
  const { store, statuses, settle } = await open();
  await store.eachPet({ limit: 1 }).toArray();
  // In turn: of answers that are on their way together, any may arrive last.
  while (statuses.length < 40) await store.listPets();
  expect(store.lastRateLimit?.remaining).toBe(20);

  const results = await settle(fifty.map(() => store.listPets({ limit: 1 })));

  expect(results.map(({ status }) => status)).toEqual(fifty.map(() => 'fulfilled'));
  // The client knew what was left, so none was denied.
  expect(statuses).toEqual(Array(40 + 50).fill(200));
});

test('none is banned, though all go on until the quota of the day is gone, and longer', async () => {
  const { store, statuses, moveClocks, settle } = await open();
  /** How many answers there were when a call was refused. */
  const refusedAfter: number[] = [];
  async function call(): Promise<Pet[] | string> {
    try {
      return (await store.listPets({ limit: 1 })).pets;
    } catch (error) {
      if (!isApiError(error, 429) || error.banned) throw error;
      refusedAfter.push(statuses.length);
      return error.code ?? '';
    }
  }

  const callers = fifty.map(async () => {
    const answers: (Pet[] | string)[] = [];
    for (let calls = 0; calls < 22; calls++) answers.push(await call());
    return answers;
  });
  const answers = (await settle(callers)).flatMap((caller) =>
    caller.status === 'fulfilled' ? caller.value : expect.unreachable(String(caller.reason)),
  );
  expect(answers).toHaveLength(1_100);
  expect(answers.filter(Array.isArray)).toHaveLength(1_000);
  expect(answers.filter((answer) => answer === 'rate_limit_exceeded')).toHaveLength(100);
  // None was refused while something was left; a few answers may still have been on their way.
  expect(Math.min(...refusedAfter)).toBeGreaterThan(975);

  for (let minute = 0; minute < 20; minute++) {
    await moveClocks();
    const sent = statuses.length;
    const refused = await Promise.all(fifty.map(call));
    expect(refused).toEqual(fifty.map(() => 'rate_limit_exceeded'));
    expect(statuses.slice(sent)).toEqual([429]);
  }
});
