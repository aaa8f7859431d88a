import { openPostgres, type Postgres, until } from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openPostgres as openDatabase } from '../../src/database/open-postgres.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { expectError } from '../support/expectations.ts';
import { listAll, type Pet } from '../support/list-all-pets.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import {
  goodStatus,
  type LoadAnswer,
  type LoadKind,
  startMixedLoad,
} from '../support/mixed-load.ts';
import { logOf, scrape } from '../support/observed.ts';
import { call, wideQuota } from '../support/test-service.ts';

/** How many requests at a time may wait for the connection that finds out whether Postgres is back. */
const attempts = 4;

const callers = 12;

/** What `/readyz` may say of each outage here. */
const unavailableReason =
  /^The (connection to the )?database (refuses connections|does not answer|did not answer within 1000 ms|was lost|is starting|is shutting down)\.$/;

const stack = new AsyncDisposableStack();
let postgres: Postgres;
let server: LocalServer;
let databaseUrl = '';
/** One key that the server has seen. */
let token = '';

// A Postgres of its own: others are using the one of this run.
beforeAll(async () => {
  postgres = stack.use(await openPostgres());
  const database = await postgres.createDatabase();
  databaseUrl = database.url;
  await migratePostgres(databaseUrl);
  [token = ''] = await createTokens(1);
  server = stack.use(await openLocalServer({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' }));
});
beforeEach(untilReady);
afterAll(() => stack.disposeAsync());

/** Makes keys that the server has not seen: for those it needs the database. */
async function createTokens(count: number): Promise<string[]> {
  const { db, close } = openDatabase(databaseUrl);
  const key = { name: 'outage', plan: 'enterprise', quota: wideQuota } as const;
  const tokens: string[] = [];
  // One after the other: each statement has a deadline, and a slow machine needs longer for all.
  while (tokens.length < count) tokens.push((await createApiKey(db, key)).token);
  await close();
  return tokens;
}

test('every operation answers 503 while the database is down, and works once it is back', async () => {
  const json = '{"name":"Rex","categoryId":1}';
  const headers = { 'Idempotency-Key': 'outage' };
  const before = await listAll(server, token);
  const created = await call(`${server.baseUrl}/pets`, { token, json });
  expect(created.status).toBe(201);

  await postgres.kill();
  for (const [path, options] of [
    ['/pets', {}],
    ['/pets/1', {}],
    ['/pets', { json }],
    ['/pets', { json, headers }],
  ] as const) {
    const answer = await call(server.baseUrl + path, { token, ...options });
    expectError(answer, 503, 'service_unavailable');
    expect(answer.text).not.toMatch(/postgres|ECONN|select|insert/i);
  }
  expectError(await call(`${server.baseUrl}/pets`, { token: null }), 401, 'unauthorized');

  await postgres.start();
  await until(async () => (await call(`${server.baseUrl}/pets`, { token })).status === 200);
  await untilReady();
  const pet = created.body as Pet;
  expect(await listAll(server, token)).toEqual(new Map([...before, [pet.id, pet]]));
});

// Without connections: the test above.
test('a Postgres that hangs and goes on under load causes 503 and no other error', async () => {
  const { baseUrl } = server;
  const newTokens = await createTokens(150);
  await using load = startMixedLoad({ baseUrl, token, newTokens, callers });
  const kinds = Object.keys(goodStatus) as LoadKind[];
  const isGood = ({ kind, status }: LoadAnswer) => status === goodStatus[kind];
  /** Waits until so many requests of each kind, sent from now on, have been answered as they should. */
  const untilGood = async (times: number) => {
    const from = performance.now();
    const good = () => load.answers.filter((it) => it.sentAt >= from && isGood(it));
    await until(() =>
      kinds.every((kind) => good().filter((it) => it.kind === kind).length >= times),
    );
  };
  await untilGood(5);

  postgres.pause();
  expect(await readiness(503)).toEqual({
    status: 'not_ready',
    reasons: [expect.stringMatching(unavailableReason)],
  });
  // So many that each connection to Postgres has had some to wait for.
  const tokens = [...Array.from({ length: 20 }, () => token), ...newTokens.splice(0, 20)];
  const lists = await Promise.all(tokens.map((key) => call(`${baseUrl}/pets`, { token: key })));
  for (const answer of lists) expectError(answer, 503, 'service_unavailable');
  // Now it is known to be away: few requests wait for it, the others are refused at once.
  const waitedBefore = await countTimeouts();
  const json = '{"name":"Ghost","categoryId":1}';
  const ghosts = await Promise.all(
    Array.from({ length: 200 }, () => call(`${baseUrl}/pets`, { token, json })),
  );
  for (const answer of ghosts) expectError(answer, 503, 'service_unavailable');
  expect((await countTimeouts()) - waitedBefore).toBeLessThan(ghosts.length / 4);

  postgres.resume();
  await untilGood(10);
  await untilReady();
  const recoveredAt = performance.now();
  await untilGood(10);
  await load.stop();

  expect(load.failures).toEqual([]);
  const refused = load.answers.filter((it) => !isGood(it));
  for (const { status, headers } of refused) {
    expect({ status, retryAfter: headers.get('Retry-After') }).toEqual({
      status: 503,
      retryAfter: '1',
    });
  }
  const refusedLate = refused.filter(({ sentAt }) => sentAt > recoveredAt);
  // The log says why.
  expect(refusedLate, JSON.stringify(logOf(server))).toEqual([]);

  const there = await listAll(server, token);
  const created = load.answers.filter(({ status }) => status === 201);
  for (const { text } of created) {
    const pet = JSON.parse(text);
    expect(there.get(pet.id)).toEqual(pet);
  }
  // Nothing was kept for when Postgres is back.
  const made = [...there.values()].filter(({ name }) => name === 'Ghost');
  expect(made.length).toBeLessThanOrEqual(attempts);
  expect(server.output()).not.toContain('internal_error');
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
