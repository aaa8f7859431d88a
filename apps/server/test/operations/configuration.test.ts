import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  freePort,
  postgresAt,
  runServer,
  startServer,
  temporaryDirectory,
} from '@animal-store/testkit';
import { describe, expect, inject, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openEmbedded } from '../../src/database/open-embedded.ts';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { apiKeys, pets } from '../../src/database/schema.ts';
import { bindPort } from '../../src/http/bind-port.ts';
import { createDatabase } from '../support/databases.ts';
import { expectRefusal, expectStartupError } from '../support/expect-refusal.ts';
import { useSharedService } from '../support/shared-service.ts';
import { call, startService } from '../support/test-service.ts';

const newPet = '{"name":"Rex","categoryId":1}';

describe('an address that is not available', () => {
  test('is refused when the port is in use, and the next start still prints the key', async () => {
    await using database = await createDatabase('embedded');
    const { env } = database;
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as { port: number }).port);

    const refused = await runServer({ env: { ...env, PORT: port } });
    expectRefusal(refused, new RegExp(`^PORT: ${port} on 127\\.0\\.0\\.1 is in use\\. Choose`));

    await using server = await startServer({ env });
    expect(server.demoKey).toBeDefined();
  });

  test.each([
    // 192.0.2.0/24 is for documentation (RFC 5737).
    ['belongs to another machine', '192.0.2.1'],
    // .invalid is no domain (RFC 2606).
    ['is unknown', 'no-such-host.invalid'],
  ])('is refused when the host %s', async (_, host) => {
    const binding = bindPort(createServer(), { host, port: 0 });
    await expectStartupError(binding, /^HOST: cannot listen on /);
  });
});

describe('a data directory that cannot be used', () => {
  test('ends the start with one line', async () => {
    await using directory = await temporaryDirectory();
    const dataDir = join(directory.path, 'file');
    await writeFile(dataDir, '');
    expectRefusal(await runServer({ dataDir }), /^DATA_DIR: cannot open \S+: E\w+: /);
  });

  test.each([
    ['is a file', 'file'],
    ['is below a file', 'file/below'],
    ['is further below a file', 'file/below/it'],
  ])('is refused when it %s', async (_, path) => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, 'file'), '');
    const opening = openEmbedded(join(directory.path, path));
    await expectStartupError(opening, /^DATA_DIR: cannot open \S+: E\w+: /);
  });

  // Nobody may write to /proc, not even root. Elsewhere there is none, and only root may make one.
  test.each(['/proc/animal-store', '/proc/animal-store/data'])(
    'is refused when it cannot be created: %s',
    async (dataDir) => {
      await expectStartupError(openEmbedded(dataDir), /^DATA_DIR: cannot open \S+: E\w+: /);
    },
  );

  test.each([
    ['a file where the database should be', 'postgres'],
    ['something else where the lock should be', 'lock'],
  ])('is refused when it holds %s', async (_, name) => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, name), 'something else, and enough of it to be read');
    const opening = openEmbedded(directory.path);
    await expectStartupError(opening, /^DATA_DIR: cannot open \S+: (?!.*object Object)\w/);
  });
});

describe('variables', () => {
  test('that are invalid are reported together, one line each, without their values', async () => {
    const env = {
      ADMIN_TOKEN: 'too-short',
      PORT: '70000',
      HOST: 'not a host',
      PUBLIC_URL: 'https://hunter2.example/with/path',
      TRUST_PROXY: 'yes',
      DATABASE_URL: 'mysql://root:hunter2@db/animals',
    };
    const { code, stdout, stderr } = await runServer({ env });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.split(':')[0]).toSorted()).toEqual(Object.keys(env).toSorted());
    for (const line of lines) expect(line).toMatch(/^[A-Z_]+: expected \S/);
    for (const value of Object.values(env)) expect(stderr).not.toContain(value);
    expect(stderr).not.toContain('hunter2');
  });

  describe('links start', () => {
    const { service: shared } = useSharedService();

    // Regression: the banner named 127.0.0.1 and links named localhost.
    test('with the address in the banner', async () => {
      const { headers } = await shared.call('/pets/1');
      expect(headers.get('Link')).toContain(`<${shared.server.origin}/docs#deprecation>`);
      expect(shared.server.origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
    });

    const hostsOfThisRun = [inject('isHeavy') ? '::' : '0.0.0.0'];

    test.each(hostsOfThisRun)('with localhost on all addresses (%s)', async (host) => {
      await using service = await startService('postgres', { env: { HOST: host } });
      const { port } = new URL(service.server.origin);
      const { headers } = await call(`http://127.0.0.1:${port}/v1/pets/1`, {
        token: service.tokens.free,
      });
      expect(headers.get('Link')).toContain(`<http://localhost:${port}/docs#deprecation>`);
    });
  });

  test('PORT is the port of the service, and PUBLIC_URL begins its links, whatever the Host header', async () => {
    const port = await freePort();
    await using service = await startService('postgres', {
      env: { PORT: String(port), PUBLIC_URL: 'https://api.example.com' },
    });
    expect(service.server.output()).toContain(` http://127.0.0.1:${port}/v1`);
    await service.call('/pets', { json: newPet });
    await service.call('/pets', { json: newPet });
    const { headers } = await service.call('/pets?limit=1');
    expect(headers.get('Link')).toMatch(
      /^<https:\/\/api\.example\.com\/v1\/pets\?[^>]+>; rel="next"$/,
    );
  });
});

describe('DATABASE_URL', () => {
  const { adminUrl } = inject('postgres');
  const refusal = /^DATABASE_URL: cannot open the database: (?!\w+ CONNECT_TIMEOUT)\S/;

  test('seeds nothing, keeps nothing in DATA_DIR and prints no key', async () => {
    await using database = await postgresAt(inject('postgres')).createDatabase();
    await using server = await startServer({ env: { DATABASE_URL: database.url } });
    expect(server.output()).not.toMatch(/\bast_/);
    expect(server.output()).not.toContain(database.url);
    expect(await readdir(server.dataDir)).toEqual([]);
    const { db, close } = openPostgres(database.url);
    expect(await db.$count(pets)).toBe(0);
    expect(await db.$count(apiKeys)).toBe(0);
    await close();
  });

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
    await using impostor = createServer((socket) => {
      socket.on('error', () => {}).resume();
      behave(socket);
    }).listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    const { port } = impostor.address() as { port: number };
    const opening = migratePostgres(`postgres://user:hunter2@127.0.0.1:${port}/animals`);
    await expectStartupError(opening, refusal);
  });
});
