import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { openTcpProxy, until } from '@animal-store/testkit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { someCause } from '../support/admin.ts';
import { createDatabase, type TestDatabase } from '../support/databases.ts';
import { expectError } from '../support/expectations.ts';
import { openLocalServer } from '../support/local-server.ts';
import { manageKeys } from '../support/manage-keys.ts';
import type { Answer } from '../support/send.ts';
import { createStoppableClock } from '../support/test-clock.ts';
import { type CallOptions, call, wideQuota } from '../support/test-service.ts';

describe('a network', () => {
  let service: ServiceBehindProxy;
  beforeAll(async () => {
    service = await startBehindProxy();
    return () => service[Symbol.asyncDispose]();
  });
  beforeEach(() => service.takeNewToken());

  test('that cuts connections: they are opened again, and no valid key is refused', async () => {
    await service.proxy.cut();
    await service.proxy.resume();
    const answer = await service.ask('/pets', { token: service.newToken });
    if (answer.status !== 200) expectUnavailable(answer);
    await expectRecovery(service);
  });

  test('that refuses connections: every answer is 503', async () => {
    await service.proxy.cut();
    await expectOutage(service);
    await service.proxy.resume();
    await expectRecovery(service);
  });

  test('that drops packets: every answer is 503', async () => {
    service.proxy.blackhole();
    await expectOutage(service);
    await service.proxy.resume();
    await expectRecovery(service);
  });

  test('that fails under load: no statement is run later', async () => {
    const { ask, proxy } = service;
    const count = async () => ((await ask('/pets?limit=100')).body as unknown[]).length;
    const before = await count();
    await proxy.cut();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask('/pets', { json: newPet })),
    );
    for (const answer of answers) expectUnavailable(answer);
    await proxy.resume();
    await expectRecovery(service);
    expect(await count()).toBe(before);
  });

  test('that begins to drop packets: requests in flight are answered with 503', async () => {
    const { ask, proxy } = service;
    const inFlight = Array.from({ length: 64 }, () => ask('/pets', { json: newPet }));
    proxy.blackhole();
    for (const answer of await Promise.all(inFlight)) {
      if (answer.status !== 201) expectUnavailable(answer);
    }
    await proxy.resume();
    await expectRecovery(service);
  });

  // As a firewall does that forgets its connections: no reset tells the server, only silence.
  test('that forgets its connections: all are replaced, the listening one included', async () => {
    await using database = await createDatabase('postgres');
    const { newToken: token, newKeyId } = await createTokens(database);
    const target = new URL(database.env['DATABASE_URL'] ?? '');
    await using relay = await openForgetfulRelay({
      host: target.hostname,
      port: Number(target.port),
    });
    target.host = relay.host;
    const clock = createStoppableClock();
    await using server = await openLocalServer({ DATABASE_URL: target.href }, { clock });
    const list = () => call(`${server.baseUrl}/pets`, { token });
    expect((await list()).status).toBe(200);
    // A heartbeat may wait on the only connection. Then a list opens another one, which is forgotten as well.
    const refused = await until(async () => {
      relay.forget();
      const answer = await list();
      return answer.status !== 200 && answer;
    });
    expectUnavailable(refused);
    await until(async () => (await list()).status === 200);
    // Another process revokes the key. Only a NOTIFY can tell the server: its clock stands still, so
    // the cached key does not expire.
    clock.stop();
    const { db, close } = await database.open();
    await manageKeys(db).revoke(newKeyId, someCause);
    await close();
    await until(async () => (await list()).status === 401);
  });

  test('that drops packets: the server still stops', async () => {
    const { ask, proxy, server } = service;
    proxy.blackhole();
    expectUnavailable(await ask('/pets'));
    await server.stop();
  });
});

const newPet = '{"name":"Rex","categoryId":1}';

type ServiceBehindProxy = Awaited<ReturnType<typeof startBehindProxy>>;

/** A server that reaches its database through a network that can be made to fail. */
async function startBehindProxy() {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase('postgres'));
  const { knownToken } = await createTokens(database);
  let newToken = '';
  const url = database.env['DATABASE_URL'] ?? '';
  const { hostname: host, port } = new URL(url);
  const proxy = opened.use(await openTcpProxy({ target: { host, port: Number(port) } }));
  const server = opened.use(await openLocalServer({ DATABASE_URL: proxy.via(url) }));
  const ask = (path: string, options?: CallOptions) =>
    call(server.baseUrl + path, { token: knownToken, ...options });
  expect((await ask('/pets')).status).toBe(200);

  const kept = opened.move();
  return {
    proxy,
    server,
    /** Sends a request with the known token, unless told otherwise. */
    ask,
    knownToken,
    /** That of a key which the server has not seen in an earlier test. */
    get newToken() {
      return newToken;
    },
    async takeNewToken() {
      ({ newToken } = await createTokens(database));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** One key that the server is to see, and one that it is not: for that it needs the database. */
async function createTokens(database: TestDatabase) {
  const { db, close } = await database.open();
  const key = { name: 'network', plan: 'enterprise', quota: wideQuota } as const;
  const { token: knownToken } = await createApiKey(db, key);
  const { token: newToken, id: newKeyId } = await createApiKey(db, key);
  await close();
  return { knownToken, newToken, newKeyId };
}

async function expectOutage({ ask, newToken }: ServiceBehindProxy): Promise<void> {
  const answers = await Promise.all([
    ask('/pets'),
    ask('/pets/1'),
    ask('/pets', { json: newPet }),
    ask('/pets', { json: newPet, headers: { 'Idempotency-Key': 'outage' } }),
    // Whose key it is cannot be told either: that is no reason to say that it is wrong.
    ask('/pets', { token: newToken }),
  ]);
  for (const answer of answers) expectUnavailable(answer);
}

function expectUnavailable(answer: Answer): void {
  expectError(answer, 503, 'service_unavailable');
}

async function expectRecovery({ ask, knownToken, newToken }: ServiceBehindProxy): Promise<void> {
  for (const token of [knownToken, newToken]) {
    await until(async () => (await ask('/pets', { token })).status === 200);
  }
}

/** A TCP relay that can lose its connections without telling either end; new ones get through. */
async function openForgetfulRelay(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => sockets.has(from) && to.write(chunk));
      from.on('error', () => {}).on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    host: `127.0.0.1:${(relay.address() as { port: number }).port}`,
    forget: () => sockets.clear(),
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}
