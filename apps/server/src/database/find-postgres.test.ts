import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { postgresAt } from '@animal-store/testkit';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { findPostgres } from './find-postgres.ts';

const { adminUrl } = inject('postgres');
const addressOf = (port: number) => ({ host: '127.0.0.1', port, path: undefined });
const { port } = new URL(adminUrl);
const real = addressOf(Number(port));

test('a host that accepts connections and never answers does not hold up the others', async () => {
  const silent: Socket[] = [];
  const server = createServer((socket) => silent.push(socket.resume())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const first = addressOf((server.address() as AddressInfo).port);
  const asked = once(server, 'connection');
  try {
    expect(await findPostgres(adminUrl, [first, real], 2)).toEqual({
      address: real,
      isWritable: true,
    });
    await asked;
    // The search has not given it up before it found the other.
    expect(silent.map((socket) => socket.readableEnded)).toEqual([false]);
  } finally {
    for (const socket of silent) socket.destroy();
    server.close();
  }
});

test('if no host answers, the search fails as the first one did', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = addressOf((server.address() as AddressInfo).port);
  server.close();
  await once(server, 'close');
  await expect(findPostgres(adminUrl, [closed, closed], 2)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});

// `read-write` took a standby for service, although it is documented not to.
test('one that accepts no writes is found, unless the URL excludes it', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  const client = postgres(database.url, { max: 1 });
  await client.unsafe(`alter database "${database.name}" set default_transaction_read_only = on`);
  await client.end();
  const find = (target: string) => findPostgres(`${database.url}${target}`, [real], 2);
  expect(await find('')).toEqual({ address: real, isWritable: false });
  for (const target of ['read-write', 'primary']) {
    await expect(find(`?target_session_attrs=${target}`)).rejects.toMatchObject({ code: '25006' });
  }
});
