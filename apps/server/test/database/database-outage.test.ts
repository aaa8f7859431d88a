import { connect, type Socket } from 'node:net';
import type { Database } from '@animal-store/postgres';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { systemClock } from '@animal-store/runtime';
import { openPostgres, openRawServer, type Postgres, until } from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { someCause } from '../support/admin.ts';
import { openWithoutLimits } from '../support/databases.ts';
import { expectError } from '../support/expectations.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { manageKeys } from '../support/manage-keys.ts';
import { logOf, requestLine } from '../support/observed.ts';
import { type CallOptions, call, wideQuota } from '../support/test-service.ts';

const json = '{"name":"Ghost","categoryId":1}';

/**
 * The settings of the service, with short timeouts. With these timeouts, a slow Postgres may look
 * like an outage, so the tests repeat requests until they succeed.
 */
const settings = {
  database: {
    connectSeconds: 1,
    idleSeconds: 1,
    // The statement timeout cannot be shorter, because the service would not start.
    statementSeconds: 1,
    answerWithinMs: 1_600,
    heartbeatMs: 100,
    heartbeatLostMs: 700,
    searchSeconds: 1,
    probeEveryMs: 100,
  },
  ops: { databaseTimeoutMs: 500 },
  usage: { closeTimeoutMs: 100 },
  bans: { closeTimeoutMs: 100 },
};

const stack = new AsyncDisposableStack();
let postgres: Postgres;
let databaseUrl = '';
let db: Database;
let server: LocalServer;
/** The token of an API key that the server has cached. */
let token = '';

// The tests stop their Postgres server, so they cannot use the server that all tests share.
beforeAll(async () => {
  postgres = stack.use(await openPostgres());
  const database = await postgres.createDatabase();
  databaseUrl = database.url;
  await migratePostgres(databaseUrl, migrationOptions);
  const opened = openWithoutLimits(database);
  stack.defer(opened.close);
  db = opened.db;
  const env = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' };
  server = stack.use(await openLocalServer(env, { clock: systemClock, ...settings }));
  ({ token } = await createKey());
});
beforeEach(untilReady);
afterAll(() => stack.disposeAsync());

const ask = (path: string, options?: CallOptions) =>
  call(server.baseUrl + path, { token, ...options });

/**
 * Creates an API key that the server has not cached. The server needs the database to look up this
 * key.
 */
const createKey = () => createApiKey(db, { name: 'outage', plan: 'enterprise', quota: wideQuota });

/** Repeats a request until it gets the expected status instead of a 503. */
async function untilServed(path: string, status: number, options?: CallOptions) {
  return await until(async () => {
    const answer = await ask(path, options);
    if (answer.status !== status) expectError(answer, 503, 'service_unavailable');
    return answer.status === status && answer;
  });
}

test.each([
  ['is killed', () => postgres.kill(), () => postgres.start()],
  ['hangs', async () => postgres.pause(), async () => postgres.resume()],
])(
  'the service responds with 503 when Postgres %s, recovers afterwards, and creates no animal twice when callers repeat requests',
  async (_, begin, end) => {
    const { token: newToken } = await createKey();
    const names = Array.from({ length: 40 }, () => String(crypto.randomUUID())).sort();
    const { body: known } = await untilServed('/pets', 201, {
      json: '{"name":"Rex","categoryId":1}',
    });
    await begin();
    // Postgres is restored even if the test fails, because the next tests need it.
    await using away = new AsyncDisposableStack();
    away.defer(end);
    const outage = await Promise.all([
      ...[ask('/pets'), ask('/pets/1'), ask('/pets', { token: newToken })],
      ask('/pets', { json, headers: { 'Idempotency-Key': 'outage' } }),
    ]);
    for (const answer of outage) {
      expectError(answer, 503, 'service_unavailable');
      expect(answer.text).not.toMatch(/postgres|ECONN|select|insert/i);
      const line = await requestLine(server, answer.headers.get('X-Request-Id') ?? '');
      expect(line).toMatchObject({
        attempts: expect.stringMatching(/^(reads|requests) \w+(, requests \w+)?$/),
      });
    }
    expectError(await ask('/pets', { token: null }), 401, 'unauthorized');
    const reasons = [expect.stringMatching(/^The (connection to the )?database [a-z0-9 ]+\.$/)];
    expect(await readiness(503)).toEqual({ status: 'not_ready', reasons });
    const probed = await until(() => logOf(server).find(({ route }) => route === '/readyz'));
    expect(probed).toMatchObject({ level: 'warn', status: 503, reasons });
    // The test repeats these creations after the outage with the same `Idempotency-Key`. Each
    // animal must then exist exactly once, even if Postgres still executes a statement that it
    // received before the outage.
    const creations = names.map((name) => ({
      json: JSON.stringify({ name, categoryId: 1 }),
      headers: { 'Idempotency-Key': name },
    }));
    const refused = await Promise.all(creations.map((creation) => ask('/pets', creation)));
    for (const answer of refused) expectError(answer, 503, 'service_unavailable');

    await away.disposeAsync();
    await untilReady();
    await untilServed('/pets', 201, { json: '{"name":"Rey","categoryId":1}' });
    await Promise.all(creations.map((creation) => untilServed('/pets', 201, creation)));
    const { body } = await untilServed('/pets?limit=100', 200, { token: newToken });
    expect(body).toContainEqual(known);
    const made = (body as { name: string }[]).map(({ name }) => name);
    expect(made.filter((name) => names.includes(name)).sort()).toEqual(names);
    expect(server.output()).not.toContain('internal_error');
  },
);

// A firewall may drop idle connections without a reset. The server then receives neither data nor
// an error on these connections.
test('the service replaces connections on which Postgres no longer responds, including the connection for LISTEN', async () => {
  const key = await createKey();
  await using relay = await openForgetfulRelay(postgres.port);
  const target = new URL(databaseUrl);
  target.host = relay.host;
  const clock = { ...systemClock };
  await using other = await openLocalServer({ DATABASE_URL: target.href }, { clock, ...settings });
  const list = () => call(`${other.baseUrl}/pets`, { token: key.token });
  await until(async () => (await list()).status === 200);
  // A heartbeat may be waiting on the only connection. The list then opens another connection,
  // which must also be dropped.
  const refused = await until(async () => {
    relay.forget();
    const answer = await list();
    return answer.status !== 200 && answer;
  });
  expectError(refused, 503, 'service_unavailable');
  await until(async () => (await list()).status === 200);
  // Another process revokes the API key. The server can learn this only from a NOTIFY, because its
  // clock stands still, and the cached key does not expire.
  for (const now of ['now', 'elapsed'] as const) {
    vi.spyOn(clock, now).mockReturnValue(clock[now]());
  }
  await manageKeys(db).revoke(key.id, someCause);
  await until(async () => (await list()).status === 401);
});

test('the service shuts down even if its database does not respond', async () => {
  const env = { DATABASE_URL: databaseUrl };
  await using own = await openLocalServer(env, { clock: systemClock, ...settings });
  await using away = new AsyncDisposableStack();
  away.defer(() => postgres.resume());
  postgres.pause();
  expectError(await call(`${own.baseUrl}/pets`, { token }), 503, 'service_unavailable');
  await own.stop();
});

/**
 * Waits until the replica is ready again. The health checks alone must end the outage, so no other
 * request is sent.
 */
async function untilReady(): Promise<void> {
  await until(async () => ((await readiness(200)) as { status: string }).status === 'ready');
}

/** Waits until `/readyz` returns this status, and returns its body. */
async function readiness(status: number): Promise<unknown> {
  const response = await until(async () => {
    const answer = await fetch(`${server.opsUrl}/readyz`);
    return answer.status === status && answer;
  });
  return await response.json();
}

/**
 * Opens a TCP relay that can drop its connections without notifying either end. New connections
 * still work.
 */
async function openForgetfulRelay(port: number) {
  const links: [from: Socket, to: Socket][] = [];
  const relay = await openRawServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port });
    links.push([client, upstream], [upstream, client]);
    for (const [from, to] of links.slice(-2)) {
      from.pipe(to);
      from.on('error', () => {}).on('close', () => to.destroy());
    }
  });
  return {
    host: `127.0.0.1:${relay.port}`,
    forget() {
      for (const [from, to] of links.splice(0)) from.unpipe(to).resume();
    },
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}
