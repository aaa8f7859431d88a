import { systemClock } from '@animal-store/runtime';
import { freePort, openRawServer, openTcpProxy, postgresAt, until } from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { connectTo } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import { call, callUntilServed } from '../support/test-service.ts';

const createEmpty = () => postgresAt(inject('postgres')).createDatabase();

/**
 * Starts a server that has to wait for its database, and returns a function for its health checks.
 */
async function startWaiting(url: string) {
  const port = await freePort();
  const env = { DATABASE_URL: url, OPS_PORT: String(port), LOG_LEVEL: 'warn' };
  const limits = { connectSeconds: 1, startPauseMs: 20, lockPauseMs: 20 };
  const starting: Promise<LocalServer> = openLocalServer(env, {
    clock: systemClock,
    database: limits,
  });
  // The test awaits the promise `starting` only at its end. Without this handler, an earlier
  // rejection would be an unhandled rejection.
  starting.catch(() => {});
  const probe = (path: string) => call(`http://127.0.0.1:${port}${path}`, { token: null });
  await until(async () => (await probe('/livez')).status === 200);
  return { starting, readiness: async () => (await probe('/readyz')).body };
}

async function expectService(starting: Promise<LocalServer>): Promise<void> {
  await using server = await starting;
  const answer = await callUntilServed(`${server.baseUrl}/pets`, { token: createToken('key') });
  expect(answer.status).toBe(401);
  await until(async () => (await call(`${server.opsUrl}/readyz`, { token: null })).status === 200);
}

test('a replica starts while Postgres is down, and becomes ready as soon as Postgres is up', async () => {
  await using database = await createEmpty();
  await using proxy = await openTcpProxy({ target: database.url });
  await proxy.cut();
  const { starting, readiness } = await startWaiting(proxy.url);
  await expect.poll(readiness).toEqual({
    status: 'not_ready',
    reasons: ['This replica is starting.', 'The database refuses connections.'],
  });
  await proxy.resume();
  await expectService(starting);
});

// In this test, the first host is a machine that does not respond at all. Regression: the replica
// migrated the database on the second host, but then tried to listen for NOTIFY on the first host.
// When this failed, the replica ended.
test('a replica starts while the first of two Postgres hosts does not respond', async () => {
  await using database = await createEmpty();
  await using silent = await openRawServer();
  const hosts = `@127.0.0.1:${silent.port},${new URL(database.url).host}`;
  const { starting } = await startWaiting(database.url.replace(/@[^/]+/, hosts));
  await expectService(starting);
});

test('a replica responds to health checks while another replica runs the migrations', async () => {
  await using database = await createEmpty();
  const other = connectTo(database.url);
  await other`select pg_advisory_lock(7301874402561)`;
  const { starting, readiness } = await startWaiting(database.url);
  await expect.poll(readiness).toEqual({
    status: 'not_ready',
    reasons: [
      'This replica is starting.',
      'The database lacks migrations that this version of the service needs; run the migrations of this version.',
      'Another replica is migrating the database.',
    ],
  });
  await other.end();
  await expectService(starting);
});
