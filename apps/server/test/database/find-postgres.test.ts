import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Address } from '@animal-store/postgres/internal';
import { findPostgres, readPostgresUrl } from '@animal-store/postgres/internal';
import { freePort, openRawServer, postgresAt } from '@animal-store/testkit';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';

const { adminUrl } = inject('postgres');
/** Searches for the database of a URL on the given hosts instead of the host in the URL. */
const findOn = (url: string, hosts: [Address, ...Address[]], answerSeconds: number) =>
  findPostgres({ ...readPostgresUrl(url), hosts }, answerSeconds);
const addressOf = (port: number) => ({ host: '127.0.0.1', port, path: undefined });
const { port } = new URL(adminUrl);
const real = addressOf(Number(port));

test('findPostgres returns another host without waiting for a host that accepts the connection but never responds', async () => {
  const silent = Promise.withResolvers<Socket>();
  await using server = await openRawServer((socket) => silent.resolve(socket.resume()));
  const found = await findOn(adminUrl, [addressOf(server.port), real], 60);
  expect(found).toEqual({ address: real, isWritable: true });
  // `findPostgres` still has an open connection to the silent host. This proves that it has
  // returned the other host without waiting for the timeout of the silent host.
  expect((await silent.promise).readableEnded).toBe(false);
});

// Regression: each search left a half-open socket behind for as long as the host did not respond.
test('findPostgres leaves no connection open to a host that has not responded', async () => {
  const opened: Socket[] = [];
  const note = (message: unknown) => opened.push((message as { socket: Socket }).socket);
  await using server = await openRawServer((socket) => void socket.resume());
  subscribe('net.client.socket', note);
  const searching = findOn(adminUrl, [addressOf(server.port)], 0.1);
  await expect(searching).rejects.toThrow();
  unsubscribe('net.client.socket', note);
  // On a slow machine, the driver may have opened a second connection before the search ended. All
  // opened connections must be closed.
  expect(new Set(opened.map(({ destroyed }) => destroyed))).toEqual(new Set([true]));
});

test('findPostgres fails with the error of the first host when no host responds', async () => {
  const closed = addressOf(await freePort());
  await expect(findOn(adminUrl, [closed, closed], 60)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});

// Regression: a URL with `read-write` accepted a read-only standby, although the documentation of
// this value excludes standbys.
test('findPostgres accepts a read-only server unless the URL requires a writable server', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  const client = postgres(database.url, { max: 1 });
  await client.unsafe(`alter database "${database.name}" set default_transaction_read_only = on`);
  await client.end();
  const find = (target: string) => findOn(`${database.url}${target}`, [real], 60);
  expect(await find('')).toEqual({ address: real, isWritable: false });
  for (const target of ['read-write', 'primary']) {
    await expect(find(`?target_session_attrs=${target}`)).rejects.toMatchObject({ code: '25006' });
  }
});

test('readPostgresUrl accepts IPv6 addresses in brackets and percent-encoded paths of Unix sockets as hosts', () => {
  const { hosts } = readPostgresUrl(
    'postgres://u@[::1]:5433,%2Fvar%2Frun%2Fpostgresql:5434,db/name',
  );
  expect(hosts).toEqual([
    { host: '::1', port: 5433, path: undefined },
    { host: '/var/run/postgresql', port: 5434, path: '/var/run/postgresql/.s.PGSQL.5434' },
    { host: 'db', port: 5432, path: undefined },
  ]);
});
