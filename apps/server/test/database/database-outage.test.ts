import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import {
  openPostgres,
  openTcpProxy,
  type Postgres,
  type TcpProxy,
  until,
} from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openPostgres as openDatabase } from '../../src/database/open-postgres.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { someCause } from '../support/admin.ts';
import { expectError } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { manageKeys } from '../support/manage-keys.ts';
import { expectRight, goodStatus, isGood, startMixedLoad } from '../support/mixed-load.ts';
import { logOf, requestLine, scrape } from '../support/observed.ts';
import { createStoppableClock } from '../support/test-clock.ts';
import { type CallOptions, call, wideQuota } from '../support/test-service.ts';

/** How many requests at a time may wait for the connection that finds out whether Postgres is back. */
const attempts = 4;
const json = '{"name":"Ghost","categoryId":1}';

/** As those of the service, and shorter, but never too short for a Postgres that answers. */
const timings = {
  database: {
    connectSeconds: 2,
    idleSeconds: 1,
    statementSeconds: 2,
    answerWithinMs: 2_000,
    heartbeatMs: 100,
    heartbeatLostMs: 2_000,
    searchSeconds: 2,
    probeEveryMs: 100,
  },
  health: { databaseTimeoutMs: 1_000 },
  usage: { closeTimeoutMs: 100 },
  audit: { closeTimeoutMs: 100 },
};

/** Too short for whoever expects that no request is refused. */
const hasty = {
  ...timings,
  database: {
    ...timings.database,
    connectSeconds: 1,
    answerWithinMs: 500,
    heartbeatLostMs: 700,
  },
};

const stack = new AsyncDisposableStack();
let postgres: Postgres;
let proxy: TcpProxy;
let databaseUrl = '';
let server: LocalServer;
/** One key that the server has seen. */
let token = '';

// A Postgres of its own: others are using the one of this run.
beforeAll(async () => {
  postgres = stack.use(await openPostgres());
  const database = await postgres.createDatabase();
  databaseUrl = database.url;
  await migratePostgres(databaseUrl);
  proxy = stack.use(await openTcpProxy({ target: { host: '127.0.0.1', port: postgres.port } }));
  const env = { DATABASE_URL: proxy.via(databaseUrl), LOG_LEVEL: 'warn' };
  server = stack.use(await openLocalServer(env, { clock: systemClock, timings }));
  [{ token }] = await createKeys(1);
});
beforeEach(untilReady);
afterAll(() => stack.disposeAsync());

const ask = (path: string, options?: CallOptions) =>
  call(server.baseUrl + path, { token, ...options });

/** Makes keys that the server has not seen: for those it needs the database. */
async function createKeys(count: number) {
  const { db, close } = openDatabase(databaseUrl);
  const key = { name: 'outage', plan: 'enterprise', quota: wideQuota } as const;
  const keys = [await createApiKey(db, key)] as [Awaited<ReturnType<typeof createApiKey>>];
  while (keys.length < count) keys.push(await createApiKey(db, key));
  await close();
  return keys;
}

describe.each([
  ['Postgres is killed', () => postgres.kill(), () => postgres.start()],
  ['Postgres hangs', async () => postgres.pause(), async () => postgres.resume()],
])('while %s', (_, begin, end) => {
  test('everything is answered with 503 at once, nothing is kept for later, and then all is well', async () => {
    const newTokens = (await createKeys(60)).map((key) => key.token);
    await using load = startMixedLoad({ baseUrl: server.baseUrl, token, newTokens, callers: 6 });
    /** Waits until some requests of each kind, sent from now on, have been answered as they should. */
    const untilGood = async () => {
      const from = load.answers.length;
      const good = () => load.answers.slice(from).filter(isGood);
      await until(() =>
        Object.keys(goodStatus).every((kind) => good().some((it) => it.kind === kind)),
      );
    };
    await untilGood();

    await begin();
    // Whatever is found, the tests after this one find Postgres.
    await using away = new AsyncDisposableStack();
    away.defer(end);
    const newToken = newTokens.pop() as string;
    const requestId = crypto.randomUUID();
    const headers = { 'X-Request-Id': requestId };
    const outage = await Promise.all([
      ...[ask('/pets'), ask('/pets/1'), ask('/pets', { token: newToken, headers })],
      ask('/pets', { json, headers: { 'Idempotency-Key': 'outage' } }),
    ]);
    for (const answer of outage) {
      expectError(answer, 503, 'service_unavailable');
      expect(answer.text).not.toMatch(/postgres|ECONN|select|insert/i);
    }
    const line = await requestLine(server, requestId);
    expect(line).toMatchObject({ status: 503, tokenPrefix: newToken.slice(0, 8) });
    expectError(await ask('/pets', { token: null }), 401, 'unauthorized');
    expect(await readiness(503)).toEqual({
      status: 'not_ready',
      reasons: [
        expect.stringMatching(
          /^The (connection to the )?database (refuses connections|does not answer|did not answer within 1000 ms|was lost|is starting)\.$/,
        ),
      ],
    });
    // Now it is known to be away: few requests wait for it, the others are refused at once.
    const waitedBefore = await countTimeouts();
    const ghosts = await Promise.all(Array.from({ length: 200 }, () => ask('/pets', { json })));
    for (const answer of ghosts) expectError(answer, 503, 'service_unavailable');
    expect((await countTimeouts()) - waitedBefore).toBeLessThan(ghosts.length / 4);
    const probed = logOf(server).find(({ route }) => route === '/readyz');
    expect(probed).toMatchObject({ level: 'warn', status: 503, reasons: [expect.any(String)] });

    await away.disposeAsync();
    await untilGood();
    await untilReady();
    const recoveredAt = performance.now();
    await untilGood();
    await load.stop();

    const there = await listAll(server, token);
    expectRight(load, there);
    const late = load.answers.filter((it) => !isGood(it) && it.sentAt > recoveredAt);
    // The log says why.
    expect(late, JSON.stringify(logOf(server))).toEqual([]);
    const made = [...there.values()].filter(({ name }) => name === 'Ghost');
    expect(made.length).toBeLessThanOrEqual(attempts);
    expect(server.output()).not.toContain('internal_error');
  });
});

test('connections that are cut are opened again, and no valid key is refused', async () => {
  const [key] = await createKeys(1);
  await proxy.cut();
  await proxy.resume();
  const answer = await ask('/pets', { token: key.token });
  if (answer.status !== 200) expectError(answer, 503, 'service_unavailable');
  await until(async () => (await ask('/pets', { token: key.token })).status === 200);
});

// As a firewall does that forgets its connections: no reset tells the server, only silence.
test('silent connections are replaced, the listening one included', async () => {
  const [key] = await createKeys(1);
  await using relay = await openForgetfulRelay(postgres.port);
  const target = new URL(databaseUrl);
  target.host = relay.host;
  const clock = createStoppableClock();
  await using other = await openLocalServer(
    { DATABASE_URL: target.href },
    { clock, timings: hasty },
  );
  const list = () => call(`${other.baseUrl}/pets`, { token: key.token });
  expect((await list()).status).toBe(200);
  // A heartbeat may wait on the only connection. Then a list opens another one, which is forgotten as well.
  const refused = await until(async () => {
    relay.forget();
    const answer = await list();
    return answer.status !== 200 && answer;
  });
  expectError(refused, 503, 'service_unavailable');
  await until(async () => (await list()).status === 200);
  // Another process revokes the key. Only a NOTIFY can tell the server: its clock stands still, so
  // the cached key does not expire.
  clock.stop();
  const { db, close } = openDatabase(databaseUrl);
  await manageKeys(db).revoke(key.id, someCause);
  await close();
  await until(async () => (await list()).status === 401);
});

test('a server whose database does not answer still stops', async () => {
  const env = { DATABASE_URL: proxy.via(databaseUrl) };
  await using own = await openLocalServer(env, { clock: systemClock, timings: hasty });
  await using away = new AsyncDisposableStack();
  away.defer(proxy.resume);
  proxy.blackhole();
  expectError(await call(`${own.baseUrl}/pets`, { token }), 503, 'service_unavailable');
  await own.stop();
});

/** How many statements so far got no answer before their deadline. */
async function countTimeouts(): Promise<number> {
  const metrics = await scrape(server);
  const series = /^animal_store_database_statement_errors_total\{.*code="NO_ANSWER"\} (\d+)$/gm;
  return [...metrics.matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Waits for the end of an outage: a probe, without traffic. */
async function untilReady(): Promise<void> {
  await until(async () => ((await readiness(200)) as { status: string }).status === 'ready');
}

/** What `/readyz` says, once it answers with such a status. */
async function readiness(status: number): Promise<unknown> {
  const response = await until(async () => {
    const answer = await fetch(`${server.opsUrl}/readyz`);
    return answer.status === status && answer;
  });
  return await response.json();
}

/** A TCP relay that can lose its connections without telling either end; new ones get through. */
async function openForgetfulRelay(port: number) {
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port });
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
