import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { StartupError } from '@animal-store/runtime';
import { type Cut, openRawServer, openTcpProxy, postgresProtocol } from '@animal-store/testkit';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';

// The tests reproduce each fault of the Postgres driver that patches/README.md describes.

const { adminUrl } = inject('postgres');
const { hostname: host, port } = new URL(adminUrl);
const options = { max: 1, fetch_types: false, backoff: () => 0, onnotice: () => {} };

test.each<Cut>([
  { place: 'after', kind: 'reset' },
  { place: 'after', kind: 'end' },
  { place: 'within', kind: 'reset' },
])(
  'the Postgres driver returns complete results after a connection was cut $place a row of an earlier result (TCP $kind)',
  async (cut) => {
    let cutsNextRow = false;
    await using proxy = await openTcpProxy({
      target: adminUrl,
      protocol: postgresProtocol,
      onMessage({ type }) {
        if (!cutsNextRow || type !== 'DataRow') return undefined;
        cutsNextRow = false;
        return cut;
      },
    });
    await using sql = open(proxy.url);
    await sql.client`select 1 as n`;
    cutsNextRow = true;
    await expect(sql.client`select 1 as n`).rejects.toThrow();
    // The first of these four statements may still use the connection that was cut, and is then
    // rejected. At least the other three must succeed.
    const answers = [];
    for (let i = 0; i < 4; i += 1) {
      answers.push(...(await sql.client`select 2 as n`.catch(() => [])));
    }
    expect(answers.slice(0, 3)).toEqual(Array(3).fill({ n: 2 }));
  },
);

test('the Postgres driver returns a complete result when the previous statement has failed in the middle of its result rows', async () => {
  await using sql = open(adminUrl);
  const failing = sql.client`select 1 / (3 - n) as x from generate_series(1, 5) as n`;
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect([...(await sql.client`select 1 as n`)]).toEqual([{ n: 1 }]);
});

test('the Postgres driver rejects only the statement with a parameter that cannot be serialized', async () => {
  await using sql = open(adminUrl);
  await using other = open(adminUrl);
  await other.client`select pg_advisory_lock(4711)`;
  const running = sql.client`select pg_advisory_lock(4711), 1 as n`.execute();
  const broken = {
    toString() {
      throw new Error('unwritable');
    },
  };
  const failing = sql.client`select ${broken as unknown as string}::text as n`.execute();
  const next = sql.client`select 2 as n`.execute();
  const failed = expect(failing).rejects.toThrow('unwritable');
  await other.client`select pg_advisory_unlock_all()`;
  await failed;
  expect((await running)[0]).toMatchObject({ n: 1 });
  expect([...(await next)]).toEqual([{ n: 2 }]);
});

// Regression: the promise of a statement was never settled if the statement was sent after the
// event `error` and before the event `close` of the socket.
test('the Postgres driver rejects a statement that is sent while its connection is closing', async () => {
  let socket: Socket | undefined;
  await using sql = open(adminUrl, {
    socket() {
      socket = connect(Number(port), host);
      return socket;
    },
  });
  await sql.client`select 1`;
  const dead = socket as Socket;
  const failed = once(dead, 'error').catch((error: unknown) => error);
  dead.destroy(new Error('gone'));
  await failed;
  await expect(sql.client`select 1 as n`).rejects.toThrow();
  expect([...(await sql.client`select 1 as n`)]).toEqual([{ n: 1 }]);
});

// Regression: after a transaction had lost its connection, the driver still sent its next
// statement. If the connection had no socket, the process ended. If the connection had a new
// session, the statement ran outside a transaction.
test('the Postgres driver sends no further statements of a transaction that has lost its connection', async () => {
  const closed = Promise.withResolvers<void>();
  await using sql = open(adminUrl, { onclose: () => closed.resolve() });
  await using killer = open(adminUrl);
  // The result of the last statement in the transaction. The test waits for this promise and not
  // for the callback, because `begin` may reject before the callback has finished.
  const outcome = Promise.withResolvers<unknown>();
  const transaction = sql.client.begin(async (tx) => {
    const [session] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await killer.client`select pg_terminate_backend(${session?.pid ?? 0})`;
    await closed.promise;
    await tx`select 1 as n`.then(outcome.resolve, outcome.resolve);
  });
  await expect(transaction).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(await outcome.promise).toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect([...(await sql.client`select 2 as n`)]).toEqual([{ n: 2 }]);
});

// Regression: instead of rejecting a statement, the driver connected again and again without a pause
// (issue 1193 of postgres.js). The driver itself must reject the statement, because with TLS, our
// own socket (`postgres-socket.ts`) does not learn that the server has closed the connection.
test('the Postgres driver rejects a statement, without connecting again, when the server closes the connection during the login', async () => {
  let connections = 0;
  await using server = await openRawServer((socket) => {
    connections += 1;
    socket.once('data', () => socket.end());
  });
  await using sql = open(`postgres://nobody@127.0.0.1:${server.port}/nothing`);
  await expect(sql.client`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(connections).toBe(1);
});

// At the start of a connection, the driver queries array types. This query is disabled, so the
// test's own statement is always the first one. If the query of the driver failed, its unhandled
// rejection would fail the test run.
test('the Postgres driver rejects only the first query when a connection is lost during that query', async () => {
  // The bytes are the messages "R" (authenticated) and "Z" (ready for a query): Postgres manual,
  // "Message Formats".
  const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
  await using server = await openRawServer((socket) => {
    socket.once('data', () => {
      socket.write(ready);
      socket.once('data', () => socket.resetAndDestroy());
    });
  });
  const opening = migratePostgres(`postgres://nobody@127.0.0.1:${server.port}/nothing`, {
    ...migrationOptions,
  });
  await expect(opening).rejects.toThrow(StartupError);
});

test('the Postgres driver sends the host name to a TLS server (SNI)', async () => {
  const called = Promise.withResolvers<string>();
  await using server = await openRawServer((socket) => {
    // The byte "S" means that the server accepts TLS: Postgres manual, "SSL Session Encryption".
    socket.once('data', () => {
      const secured = new TLSSocket(socket, {
        isServer: true,
        SNICallback(name, done) {
          called.resolve(name);
          done(new Error('That was all.'));
        },
      });
      secured.on('error', () => {});
      socket.write('S');
    });
  });
  const url = `postgres://nobody@localhost:${server.port}/nothing?sslmode=verify-full`;
  await expect(migratePostgres(url, migrationOptions)).rejects.toThrow(StartupError);
  expect(await called.promise).toBe('localhost');
});

function open(url: string, more = {}) {
  const client = postgres(url, { ...options, ...more });
  return { client, [Symbol.asyncDispose]: () => client.end({ timeout: 0 }) };
}
