import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { freePort, temporaryDirectory } from '@animal-store/testkit';
import { describe, expect, inject, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openEmbedded } from '../../src/database/open-embedded.ts';
import { bindPort } from '../../src/http/bind-port.ts';
import { defaultTimings } from '../../src/shared/timings.ts';
import { expectStartupError } from '../support/expect-refusal.ts';
import { openRawServer } from '../support/raw-server.ts';
import { call, startService } from '../support/test-service.ts';

// In use: start.test.ts, with a whole process.
test.each([
  // 192.0.2.0/24 is for documentation (RFC 5737).
  ['belongs to another machine', '192.0.2.1'],
  // .invalid is no domain (RFC 2606).
  ['is unknown', 'no-such-host.invalid'],
])('a host that %s is refused', async (_, host) => {
  const binding = bindPort(createServer(), { host, port: 0 });
  await expectStartupError(binding, /^HOST: cannot listen on /);
});

// That of a server that is running: start.test.ts.
test.each([
  ['is a file', 'file'],
  ['is below a file', 'file/below'],
  // Nobody may write to /proc, not even root. Elsewhere there is none, and only root may make one.
  ['cannot be created', '/proc/animal-store/data'],
  ['has a file where the database should be', ''],
])('a data directory that %s is refused', async (_, path) => {
  await using directory = await temporaryDirectory();
  for (const name of ['file', 'postgres']) await writeFile(join(directory.path, name), 'x');
  const opening = openEmbedded(resolve(directory.path, path));
  await expectStartupError(opening, /^DATA_DIR: cannot open \S+: (?!.*object Object)\w/);
});

test('with HOST=0.0.0.0 PORT is the port of the service, and links start with localhost', async () => {
  const port = await freePort();
  const env = { HOST: '0.0.0.0', PORT: String(port) };
  await using service = await startService('postgres', { env });
  const token = service.tokens.free;
  const { headers } = await call(`http://127.0.0.1:${port}/v1/pets/1`, { token });
  expect(headers.get('Link')).toContain(`<http://localhost:${port}/docs#deprecation>`);
});

describe('DATABASE_URL', () => {
  const { adminUrl } = inject('postgres');
  const timings = { ...defaultTimings.database, connectSeconds: 1 };
  const refusal = /^DATABASE_URL: cannot open the database: (?!\w+ CONNECT_TIMEOUT)\S/;

  test('is refused with a wrong password', async () => {
    const url = new URL(adminUrl);
    url.password = 'hunter2';
    await expectStartupError(migratePostgres(url.href), refusal);
  });

  test('is refused without such a database', async () => {
    const { href } = new URL('/no_such_database', adminUrl);
    await expectStartupError(migratePostgres(href), refusal);
  });

  test('is refused with a password that is not percent-encoded', async () => {
    const opening = migratePostgres('postgres://user:hunter2%@127.0.0.1/animals');
    await expectStartupError(opening, /^DATABASE_URL: expected postgres:\/\/user:password@host/);
  });

  // Concurrent, because they mostly wait for a server that says nothing.
  test.concurrent.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => {}],
    ['hangs up at once', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['speaks HTTP', (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n'))],
    ['speaks SSH', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
  ])('is refused where another kind of server %s', async (_, behave) => {
    await using impostor = await openRawServer((socket) => behave(socket.resume()));
    const url = `postgres://user:hunter2@127.0.0.1:${impostor.port}/animals`;
    await expectStartupError(migratePostgres(url, { timings }), refusal);
  });
});
