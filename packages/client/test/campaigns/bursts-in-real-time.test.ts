import { freePort, openTcpProxy, type Server, startServer } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { type ClientOptions, createClient, isAnimalStoreError } from '../../src/index.ts';

// A few bursts of `default-options.ts` in real time: the real service, real connections, the default options.

const adminToken = 'an-admin-token-for-tests';

async function createKey(server: Server, plan: object): Promise<string> {
  const response = await fetch(`${server.opsUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(plan),
  });
  return ((await response.json()) as { token: string }).token;
}

/** The names of all animals that a burst has added, read with a key of its own. */
async function namesOfAll(server: Server): Promise<string[]> {
  const apiKey = await createKey(server, { plan: 'business' });
  const store = createClient({ baseUrl: server.baseUrl, apiKey });
  const names: string[] = [];
  for await (const { name } of store.eachPet()) if (name.startsWith('burst ')) names.push(name);
  return names.sort();
}

async function play(calls: number, options: ClientOptions) {
  const stores = Array.from({ length: 3 }, () => createClient(options));
  const results = await Promise.allSettled(
    Array.from({ length: calls }, (_, index) => {
      const store = stores[index % 3] ?? expect.unreachable();
      return store.createPet({ name: `burst ${String(index).padStart(4, '0')}`, categoryId: 1 });
    }),
  );
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? result.reason : []));
  return reasons.map((reason) => (isAnimalStoreError(reason) ? reason.name : reason));
}

test.each([
  ['100 calls with a Free key', 100, { plan: 'free' }],
  ['1,000 calls with a Business key', 1_000, { plan: 'business' }],
  [
    '10 calls with a key of 5 a minute',
    10,
    { plan: 'enterprise', quota: { perMinute: 5, perDay: 1_000 } },
  ],
])('%s at once, 200 ms away, are all answered, and none twice', async (_what, calls, plan) => {
  await using server = await startServer({ env: { ADMIN_TOKEN: adminToken } });
  const { hostname: host, port } = new URL(server.baseUrl);
  await using network = await openTcpProxy({ target: { host, port: Number(port) } });
  network.delay(100);
  const apiKey = await createKey(server, plan);
  expect(await play(calls, { baseUrl: network.via(server.baseUrl), apiKey })).toEqual([]);
  const names = await namesOfAll(server);
  expect(names).toHaveLength(calls);
  expect(new Set(names).size).toBe(calls);
});

test('a restart in the middle adds no animal twice, and fails calls only for want of a connection', async () => {
  const port = await freePort();
  const env = { ADMIN_TOKEN: adminToken, PORT: String(port) };
  await using first = await startServer({ env });
  const apiKey = await createKey(first, { plan: 'business' });
  const { baseUrl, dataDir } = first;
  let answered = 0;
  const { promise: isInTheMiddle, resolve } = Promise.withResolvers<void>();
  const onResponse = () => void (++answered === 100 && resolve());
  const burst = play(1_000, { baseUrl, apiKey, onResponse });
  await isInTheMiddle;
  await first.stop();
  await using second = await startServer({ env, dataDir });
  const reasons = await burst;
  expect(new Set([...reasons, 'ConnectionError'])).toEqual(new Set(['ConnectionError']));
  const names = await namesOfAll(second);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(1_000 - reasons.length);
});
