import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { defaultDatabaseLimits } from '@animal-store/postgres';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openEmbedded } from '@animal-store/postgres/open-embedded';
import { freePort, openRawServer, temporaryDirectory } from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { openService } from '../../src/service.ts';
import { createDatabase } from '../support/databases.ts';
import { expectStartupError } from '../support/expect-refusal.ts';
import { call, startService } from '../support/test-service.ts';

// `listener.test.ts` tests HOST and PORT. `start.test.ts` tests a data directory that another
// server uses.

test.each([
  ['is below a file', 'file/below'],
  ['has a file where the database should be', ''],
])('openEmbedded refuses a data directory that %s', async (_, path) => {
  await using directory = await temporaryDirectory();
  for (const name of ['file', 'postgres']) await writeFile(join(directory.path, name), 'x');
  const opening = openEmbedded(resolve(directory.path, path), migrationOptions);
  await expectStartupError(opening, /^DATA_DIR: cannot open \S+: (?!.*object Object)\w/);
});

test('openService starts a service when no setting except the ports and a data directory is given', async () => {
  await using database = await createDatabase('embedded');
  const place = { kind: 'embedded', dataDir: database.env['DATA_DIR'] ?? '' } as const;
  const service = await openService({
    ...{ database: { place }, http: { port: 0 }, ops: { port: 0 } },
    observability: { logLevel: 'silent' },
  });
  const { status, headers } = await call(`${service.baseUrl}/pets`, {
    token: service.demoToken ?? null,
  });
  expect(status).toBe(200);
  expect(headers.get('X-RateLimit-Limit')).toBe('60');
  await service.close(0);
});

test('the service with HOST=0.0.0.0 listens on PORT, and its links contain localhost', async () => {
  const port = await freePort();
  const env = { HOST: '0.0.0.0', PORT: String(port) };
  await using service = await startService('postgres', { env });
  const token = service.tokens.free;
  const { headers } = await call(`http://127.0.0.1:${port}/v1/pets/1`, { token });
  expect(headers.get('Link')).toContain(`<http://localhost:${port}/docs#deprecation>`);
});

const limits = { ...defaultDatabaseLimits, searchSeconds: 0.2 };
const refusal = /^DATABASE_URL: cannot open the database: (?!\w+ CONNECT_TIMEOUT)\S/;

test.each<[what: string, change: Partial<URL>]>([
  ['a wrong password', { password: 'hunter2' }],
  ['a database that does not exist', { pathname: '/no_such_database' }],
])('migratePostgres refuses a DATABASE_URL with %s', async (_, change) => {
  const { href } = Object.assign(new URL(inject('postgres').adminUrl), change);
  await expectStartupError(migratePostgres(href, migrationOptions), refusal);
});

test('migratePostgres refuses a DATABASE_URL with a password that is not percent-encoded', async () => {
  const opening = migratePostgres('postgres://user:hunter2%@127.0.0.1/animals', {
    ...migrationOptions,
  });
  await expectStartupError(opening, /^DATABASE_URL: expected postgres:\/\/user:password@host/);
});

test.each<[string, (socket: Socket) => void]>([
  ['sends nothing', () => {}],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['speaks HTTP', (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n'))],
])(
  'migratePostgres refuses a DATABASE_URL whose server is not Postgres and %s',
  async (_, behave) => {
    await using impostor = await openRawServer((socket) => behave(socket.resume()));
    const url = `postgres://user:hunter2@127.0.0.1:${impostor.port}/animals`;
    await expectStartupError(migratePostgres(url, { ...migrationOptions, limits }), refusal);
  },
);
