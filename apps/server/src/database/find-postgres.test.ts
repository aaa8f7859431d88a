import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
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
    expect(await findPostgres(adminUrl, [first, real])).toEqual({
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
  await expect(findPostgres(adminUrl, [closed, closed])).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});
