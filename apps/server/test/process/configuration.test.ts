import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort, runServer, type Server, temporaryDirectory, until } from '@animal-store/testkit';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openEmbedded } from '../../src/database/open-embedded.ts';
import { bindPort } from '../../src/http/bind-port.ts';
import { useAdmin } from '../support/admin.ts';
import { expectStartupError } from '../support/expect-refusal.ts';
import { logOf } from '../support/observed.ts';
import { call, startProcess, type TestService } from '../support/test-service.ts';

describe('an address that is not available', () => {
  // In use: start.test.ts, with a whole process.
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
  // With a whole process: that of a server that is running, in start.test.ts.
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
      LOG_LEVEL: 'loud',
    };
    const { code, stdout, stderr } = await runServer({ env });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.split(':')[0]).toSorted()).toEqual(Object.keys(env).toSorted());
    for (const line of lines) expect(line).toMatch(/^[A-Z_]+: expected \S/);
    for (const value of Object.values(env)) expect(stderr).not.toContain(value);
    expect(stderr).not.toContain('hunter2');
    for (const line of [
      'PORT: expected a whole number from 0 to 65535, such as PORT=3000',
      'LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent',
    ]) {
      expect(lines).toContain(line);
    }
  });

  describe('links start', () => {
    const { service: shared } = useAdmin();

    // Regression: the banner named 127.0.0.1 and links named localhost.
    test('with the address in the banner', async () => {
      const { headers } = await shared.call('/pets/1');
      expect(headers.get('Link')).toContain(`<${shared.server.origin}/docs#deprecation>`);
      expect(shared.server.origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
    });

    // Together, because they do not disturb each other and each start takes a second.
    describe('on all addresses, with a PORT, in pretty lines', () => {
      let service: TestService<Server>;
      let port: number;

      beforeAll(async () => {
        port = await freePort();
        service = await startProcess('postgres', {
          env: { HOST: '0.0.0.0', PORT: String(port), LOG_FORMAT: 'pretty' },
        });
        return () => service[Symbol.asyncDispose]();
      });

      const ask = (path: string, token: string | null) =>
        call(`http://127.0.0.1:${port}/v1${path}`, { token });

      test('PORT is the port of the service, and links start with localhost', async () => {
        expect(new URL(service.server.baseUrl).port).toBe(String(port));
        const { headers } = await ask('/pets/1', service.tokens.free);
        expect(headers.get('Link')).toContain(`<http://localhost:${port}/docs#deprecation>`);
      });

      test('LOG_FORMAT=pretty is readable and is not JSON', async () => {
        await ask('/pets', null);
        const pattern = /^\d\d:\d\d:\d\d info {2}request method=GET route=\/v1\/pets status=401 /m;
        await until(() => pattern.test(service.server.output()));
        expect(service.server.output()).toMatch(/^Animal Store is listening on http:\/\/\S+\/v1$/m);
        expect(logOf(service.server)).toEqual([]);
      });
    });
  });
});

describe('DATABASE_URL', () => {
  const { adminUrl } = inject('postgres');
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
