import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { StartupError } from '../../src/shared/startup-error.ts';

/** "R": authenticated. "Z": ready for a query. (Postgres manual, "Message Formats".) */
const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

// Without the driver's query for array types, the statement that is lost is always one of ours. The
// unhandled rejection of the driver's own query would fail this run.
test('a connection that is lost at its first query fails that query, and nothing else', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(ready);
      socket.once('data', () => socket.resetAndDestroy());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const opening = migratePostgres(`postgres://nobody@127.0.0.1:${port}/nothing`);
    await expect(opening).rejects.toThrow(StartupError);
  } finally {
    server.close();
  }
});

test('under TLS the server learns by which name it was called', async () => {
  const called = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // "S": yes, TLS. (Postgres manual, "SSL Session Encryption".)
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
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const opening = migratePostgres(
      `postgres://nobody@localhost:${port}/nothing?sslmode=verify-full`,
    );
    await expect(opening).rejects.toThrow(StartupError);
    expect(await called.promise).toBe('localhost');
  } finally {
    server.close();
  }
});
