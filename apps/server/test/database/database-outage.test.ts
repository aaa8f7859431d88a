import {
  openPostgres,
  type Postgres,
  type Server,
  startServer,
  until,
} from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPostgres as openDatabase } from '../../src/database/open-postgres.ts';
import { createApiKey } from '../../src/keys/key-creation.ts';
import { expectError } from '../support/expectations.ts';
import { listAll } from '../support/list-all.ts';
import {
  goodStatus,
  type LoadAnswer,
  type LoadKind,
  startMixedLoad,
} from '../support/mixed-load.ts';
import { type Answer, call, wideQuota } from '../support/service.ts';

/** How long the service may take to be well once Postgres is. */
const recoveryMs = 2_000;

/** Half of what a statement may take: whoever is refused sooner has not waited for Postgres. */
const atOnceMs = 2_500;

/** So many requests may be waiting for a connection that finds out whether Postgres is back. */
const attempts = 4;

const callers = 12;

const stack = new AsyncDisposableStack();
let postgres: Postgres;
let server: Server;
/** One key that the server has seen, and many that it has not: for those it needs the database. */
let token = '';
let newTokens: string[];

// A Postgres of its own: others are using the one of this run.
beforeAll(async () => {
  postgres = stack.use(await openPostgres());
});
beforeEach(async () => {
  const database = await postgres.createDatabase();
  const { db, close } = await openDatabase(database.url);
  const createToken = async () => {
    const key = { name: 'outage', plan: 'enterprise', quota: wideQuota } as const;
    return (await createApiKey(db, key)).token;
  };
  token = await createToken();
  newTokens = await Promise.all(Array.from({ length: 150 }, createToken));
  await close();
  server = await startServer({ env: { DATABASE_URL: database.url, LOG_LEVEL: 'warn' } });
  return () => server[Symbol.asyncDispose]();
});
afterAll(() => stack.disposeAsync());

test('while the database is away every operation answers 503, and goes on once it is back', async () => {
  const json = '{"name":"Rex","categoryId":1}';
  const headers = { 'Idempotency-Key': 'outage' };
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
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect(answer.text).not.toMatch(/postgres|ECONN|select|insert/i);
  }
  expectError(await call(`${server.baseUrl}/pets`, { token: null }), 401, 'unauthorized');

  await postgres.start();
  const list = () => call(`${server.baseUrl}/pets`, { token });
  await until(async () => (await list()).status === 200);
  expect((await list()).body).toEqual([created.body]);
});

test.each([
  [
    'hangs and goes on',
    { fail: async () => postgres.pause(), mend: async () => postgres.resume() },
  ],
  ['crashes and is started again', { fail: () => postgres.kill(), mend: () => postgres.start() }],
  [
    'is stopped and started by its operators',
    { fail: () => postgres.stop(), mend: () => postgres.start() },
  ],
])('under load a Postgres that %s costs 503s and nothing else', async (_, { fail, mend }) => {
  const { baseUrl } = server;
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

  await fail();
  expect(await readiness(503)).toEqual({
    status: 'not_ready',
    reasons: [
      expect.stringMatching(/^The database (cannot be reached|did not answer within 1000 ms)\.$/),
    ],
  });
  // So many that each connection to Postgres has had some to wait for.
  const tokens = [...Array.from({ length: 20 }, () => token), ...newTokens.splice(0, 20)];
  const lists = await Promise.all(tokens.map((key) => call(`${baseUrl}/pets`, { token: key })));
  for (const answer of lists) expectError(answer, 503, 'service_unavailable');
  // Now it is known to be away, and whoever asks is refused at once: all but those who try it.
  const ghosts: Answer[] = [];
  const json = '{"name":"Ghost","categoryId":1}';
  const asked = Array.from({ length: 200 }, async () => {
    ghosts.push(await call(`${baseUrl}/pets`, { token, json }));
  });
  await until(() => ghosts.length >= 200 - attempts, { timeoutMs: atOnceMs });
  for (const answer of ghosts) expectError(answer, 503, 'service_unavailable');

  await mend();
  const mendedAt = performance.now();
  await untilGood(10);
  expect(await readiness(200)).toEqual({ status: 'ready', reasons: [] });
  await load.stop();

  expect(load.failures).toEqual([]);
  const refused = load.answers.filter((it) => !isGood(it));
  for (const { status, headers } of refused) {
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({
      status: 503,
      retryAfter: '1',
    });
  }
  expect(refused.filter(({ sentAt }) => sentAt > mendedAt + recoveryMs)).toEqual([]);
  for (const kind of kinds) {
    const recovered = load.answers.find(
      (it) => it.kind === kind && it.sentAt > mendedAt && isGood(it),
    );
    expect(Number(recovered?.endedAt) - mendedAt, kind).toBeLessThan(recoveryMs);
  }

  const there = await listAll(server, token);
  const created = load.answers.filter(({ status }) => status === 201);
  for (const { text } of created) {
    const pet = JSON.parse(text);
    expect(there.get(pet.id)).toEqual(pet);
  }
  // Nothing was kept for when Postgres is back.
  await Promise.all(asked);
  const made = [...there.values()].filter(({ name }) => name === 'Ghost');
  expect(made.length).toBeLessThanOrEqual(attempts);
  expect(server.output()).not.toContain('internal_error');
});

/** What `/readyz` says, once it answers with such a status. */
async function readiness(status: number): Promise<unknown> {
  const response = await until(async () => {
    const answer = await fetch(`${server.opsUrl}/readyz`);
    return answer.status === status && answer;
  });
  return await response.json();
}
