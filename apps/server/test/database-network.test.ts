import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import {
  openTcpProxy,
  type Server,
  startServer,
  type TcpProxy,
  until,
} from '@animal-store/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeyRepository } from '../src/keys/key-repository.ts';
import { createDatabase, type TestDatabase } from './support/databases.ts';
import { expectError } from './support/expectations.ts';
import { type Answer, type CallOptions, call, wideQuota } from './support/service.ts';

/** A bound on failures, and far more than any answer takes: nothing hangs. */
const boundMs = 40_000;

let database: TestDatabase;
let proxy: TcpProxy;
let server: Server;
/** One key that the server has seen, and one that it has not: for that it needs the database. */
let knownToken = '';
let newToken = '';

beforeEach(async () => {
  database = await createDatabase('postgres');
  const { db, close } = await database.open();
  const keys = createKeyRepository(db);
  const key = { name: 'network', plan: 'enterprise', quota: wideQuota } as const;
  knownToken = (await keys.create(key)).token;
  newToken = (await keys.create(key)).token;
  await close();

  const url = database.env['DATABASE_URL'] ?? '';
  const { hostname: host, port } = new URL(url);
  proxy = await openTcpProxy({ target: { host, port: Number(port) } });
  server = await startServer({ env: { DATABASE_URL: proxy.via(url) } });
  expect((await ask('/pets', {})).status).toBe(200);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
}, boundMs);

test(
  'connections that are cut are made again, and nobody is told that a good key is bad',
  async () => {
    await proxy.cut();
    await proxy.resume();
    const answer = await ask('/pets', { token: newToken });
    if (answer.status !== 200) expectUnavailable(answer);
    await expectRecovery();
  },
  boundMs,
);

test(
  'while connections are refused every answer is 503, and soon',
  async () => {
    await proxy.cut();
    await expectOutage();
    await proxy.resume();
    await expectRecovery();
  },
  boundMs,
);

test(
  'while packets are swallowed every answer is 503, in bounded time',
  async () => {
    proxy.blackhole();
    await expectOutage();
    await proxy.resume();
    await expectRecovery();
  },
  boundMs,
);

test(
  'requests that are under way when packets begin to be swallowed are answered 503',
  async () => {
    const inFlight = Array.from({ length: 64 }, () => ask('/pets', { json: newPet }));
    proxy.blackhole();
    for (const answer of await Promise.all(inFlight)) {
      if (answer.status !== 201) expectUnavailable(answer);
    }
    await proxy.resume();
    await expectRecovery();
  },
  boundMs,
);

// As a firewall does that forgets its connections: no reset tells the server, only silence.
test(
  'connections that die without a word are replaced',
  async () => {
    const target = new URL(database.env['DATABASE_URL'] ?? '');
    await using relay = await openForgetfulRelay({
      host: target.hostname,
      port: Number(target.port),
    });
    target.host = relay.host;
    await using other = await startServer({ env: { DATABASE_URL: target.href } });
    const list = () => call(`${other.baseUrl}/pets`, { token: knownToken });
    expect((await list()).status).toBe(200);
    relay.forget();
    expectUnavailable(await list());
    await until(async () => (await list()).status === 200);
  },
  boundMs,
);

test(
  'an outage under load leaves nothing behind that is done later',
  async () => {
    const before = await count();
    await proxy.cut();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask('/pets', { json: newPet })),
    );
    for (const answer of answers) expectUnavailable(answer);
    await proxy.resume();
    await expectRecovery();
    expect(await count()).toBe(before);
  },
  boundMs,
);

test(
  'a server whose database is away stops when it is told to',
  async () => {
    proxy.blackhole();
    expectUnavailable(await ask('/pets', {}));
    server.signal('SIGTERM');
    const ended = await until(() => server.exited, { timeoutMs: 15_000 });
    expect(ended).toEqual({ code: 0, signal: null });
  },
  boundMs,
);

const newPet = '{"name":"Rex","categoryId":1}';

function ask(path: string, options: CallOptions): Promise<Answer> {
  return call(server.baseUrl + path, { token: knownToken, ...options });
}

async function expectOutage(): Promise<void> {
  const answers = await Promise.all([
    ask('/pets', {}),
    ask('/pets/1', {}),
    ask('/pets', { json: newPet }),
    ask('/pets', { json: newPet, headers: { 'Idempotency-Key': 'outage' } }),
    // Whose key it is cannot be told either: that is no reason to say that it is wrong.
    ask('/pets', { token: newToken }),
  ]);
  for (const answer of answers) expectUnavailable(answer);
}

function expectUnavailable(answer: Answer): void {
  expectError(answer, 503, 'service_unavailable');
  expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
}

async function expectRecovery(): Promise<void> {
  for (const token of [knownToken, newToken]) {
    await until(async () => (await call(`${server.baseUrl}/pets`, { token })).status === 200);
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

async function count(): Promise<number> {
  return ((await ask('/pets?limit=100', {})).body as unknown[]).length;
}
