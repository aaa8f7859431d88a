import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { findPostgres, readPostgresUrl } from '@animal-store/postgres/internal';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';

const { adminUrl } = inject('postgres');
const real = new URL(adminUrl);

/** Opens a server that forwards its connections to the real Postgres server. */
async function forwardFrom(listenOn: { path: string } | { host: string; port: number }) {
  const server = createServer((socket) => {
    const target = connect(Number(real.port), real.hostname);
    socket.on('error', () => target.destroy()).pipe(target);
    target.on('error', () => socket.destroy()).pipe(socket);
  }).listen(listenOn);
  await once(server, 'listening');
  return server;
}

const withHost = (host: string) =>
  readPostgresUrl(`postgres://${real.username}:${real.password}@${host}${real.pathname}`);

// Regression: for a URL with an IPv6 address or a Unix socket, the driver connected to another
// host. The search for Postgres then never ended.
test('findPostgres connects to an IPv6 address in brackets', async () => {
  await using server = await forwardFrom({ host: '::1', port: 0 });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  expect(await findPostgres(withHost(`[::1]:${port}`), 60)).toMatchObject({
    address: { host: '::1', port },
    isWritable: true,
  });
});

test('findPostgres connects to a Unix socket whose path is percent-encoded', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, '.s.PGSQL.5433');
  await using _server = await forwardFrom({ path });
  const url = withHost(`${encodeURIComponent(directory.path)}:5433`);
  expect(await findPostgres(url, 60)).toMatchObject({ address: { path }, isWritable: true });
});

// Regression: if Postgres refused TLS, the driver reported a lost connection, and the service
// waited forever.
test.each(['require', 'verify-ca', 'verify-full'])(
  'migratePostgres with sslmode=%s fails with an explanation when Postgres does not support TLS',
  async (mode) => {
    const migrating = migratePostgres(`${adminUrl}?sslmode=${mode}`, {
      ...migrationOptions,
      onUnavailable() {},
    });
    await expect(migrating).rejects.toThrow(/^DATABASE_URL: Postgres has no TLS, and sslmode=/);
  },
);
