import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  findProgram,
  freePort,
  postgresAt,
  runServer,
  type Server,
  type ServerRun,
  startServer,
  temporaryDirectory,
  until,
} from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { lockDataDir } from '../../src/database/data-dir-lock.ts';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { apiKeys, pets } from '../../src/database/schema.ts';
import { createDatabase, databaseKinds } from '../support/databases.ts';
import { logOf } from '../support/observed.ts';
import { call, startService } from '../support/service.ts';

const run = promisify(execFile);

/** A token, wherever it stands. */
const tokens = /\bast_[0-9A-Za-z]{36}\b/g;

describe('the first start', () => {
  let server: Server;
  let token = '';

  beforeAll(async () => {
    server = await startServer();
    token = server.demoKey ?? '';
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('prints where it listens, and the port that it found with PORT=0', async () => {
    expect(server.output()).toMatch(
      /^Animal Store is listening on http:\/\/127\.0\.0\.1:\d+\/v1$/m,
    );
    expect(new URL(server.baseUrl).port).not.toBe('0');
    expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  });

  test('prints where the data are', () => {
    expect(server.output()).toContain(server.dataDir);
  });

  test('prints one key, by itself and in the curl line, and nothing on stderr', () => {
    expect(new Set(server.output().match(tokens))).toEqual(new Set([token]));
    expect(server.output().match(tokens)).toHaveLength(2);
    expect(server.output()).not.toMatch(/error|warn/i);
  });

  test('prints a curl line that works when it is pasted', async () => {
    await findProgram('curl');
    const [line = ''] = server.output().match(/^ {2}curl .*$/m) ?? [];
    const { stdout } = await run('sh', ['-c', line]);
    const [head = '', body = ''] = stdout.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/^Content-Type: application\/json; charset=utf-8\r?$/im);
    expect(head).toMatch(/^X-RateLimit-Limit: 60\r?$/im);
    expect(head).toMatch(/^X-RateLimit-Remaining: \d+\r?$/im);
    expect(head).toMatch(/^X-RateLimit-Reset: \d{10}\r?$/im);
    expect(JSON.parse(body)).toHaveLength(3);
  });

  test('brings sample animals of every status, more than one page of them', async () => {
    const { body, headers } = await call(`${server.baseUrl}/pets`, { token });
    expect(body).toHaveLength(20);
    expect(headers.get('Link')).toContain('rel="next"');
    const statuses = new Set((body as { status: string }[]).map(({ status }) => status));
    expect(statuses).toEqual(new Set(['available', 'pending', 'sold']));
  });

  test('keeps others off its data while it runs, and is not harmed by their try', async () => {
    const second = await runServer({ dataDir: server.dataDir });
    expectRefusal(second, /^DATA_DIR: another Animal Store is running on \S+\. Stop it, or/);
    expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  });
});

describe('a start on data that are there', () => {
  test('keeps animals and key after a stop, and does not print the key again', async () => {
    await using database = await createDatabase('embedded');
    const { env } = database;
    await using first = await startServer({ env });
    const token = first.demoKey ?? '';
    const created = await call(`${first.baseUrl}/pets`, { token, json: newPet });
    expect(await first.stop()).toBe(0);

    await using second = await startServer({ env });
    expect(second.output()).not.toMatch(tokens);
    expect(second.output()).toContain('was shown at the first start');
    expect(await petAt(second, created.body, token)).toEqual(created.body);
  });

  test('keeps animals and key after kill -9, whose lock is taken over', async () => {
    await using database = await createDatabase('embedded');
    const { env } = database;
    await using first = await startServer({ env });
    const token = first.demoKey ?? '';
    const created = await call(`${first.baseUrl}/pets`, { token, json: newPet });
    await first.kill();

    await using second = await startServer({ env });
    expect(second.output()).not.toMatch(tokens);
    expect(await petAt(second, created.body, token)).toEqual(created.body);
  });

  test('begins anew after a first start that was killed half-way', async () => {
    await using directory = await temporaryDirectory();
    const dataDir = join(directory.path, 'not', 'there', 'yet');
    const started = startServer({ dataDir, command: await killedOnceThereAre(30, dataDir) });
    await expect(started).rejects.toThrow('exit code 0');

    await using second = await startServer({ dataDir });
    const answer = await call(`${second.baseUrl}/pets`, { token: second.demoKey ?? '' });
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveLength(20);
  });
});

test('ten servers that start at once on one data directory leave one that serves', async () => {
  await using directory = await temporaryDirectory();
  await using started = new AsyncDisposableStack();
  const attempts = await Promise.allSettled(
    Array.from({ length: 10 }, () => startServer({ dataDir: directory.path })),
  );
  const servers = attempts.filter((it) => it.status === 'fulfilled').map(({ value }) => value);
  for (const server of servers) started.use(server);
  expect(servers).toHaveLength(1);
  for (const { reason } of attempts.filter((it) => it.status === 'rejected')) {
    expect(reason.message).toMatch(/exit code 1\nDATA_DIR: another Animal Store is running on/);
  }
  const [server] = servers;
  const { body } = await call(`${server?.baseUrl}/pets`, { token: server?.demoKey ?? '' });
  expect(body).toHaveLength(20);
});

describe.each(databaseKinds)('a stop on %s', (kind) => {
  test.each(['SIGINT', 'SIGTERM'] as const)('by %s ends with exit code 0', async (signal) => {
    await using database = await createDatabase(kind);
    await using server = await startServer({ env: { ...database.env, LOG_LEVEL: 'warn' } });
    const before = server.output();
    server.signal(signal);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.output()).toBe(before);
  });
});

describe('a stop', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s answers the request that is in flight, and takes no other',
    async (signal) => {
      await using service = await startService('postgres');
      const { server, tokens } = service;
      using request = await beginCreation(server, tokens.free);
      server.signal(signal);
      await untilRefused(server);
      expect(await request.finish()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
      expect(await server.exited).toEqual({ code: 0, signal: null });
    },
  );

  // npm passes on the signal that the terminal has sent to the whole process group.
  test('that is asked for twice at once ends as if asked for once', async () => {
    await using service = await startService('postgres');
    const { server, tokens } = service;
    using request = await beginCreation(server, tokens.free);
    server.signal('SIGINT');
    await untilRefused(server);
    server.signal('SIGINT');
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test.each([
    ['SIGTERM', 'is one stop: npm passes it on', { grace: '300', code: 0 }],
    ['SIGINT', 'ends it at once', { grace: '60000', code: 1 }],
  ] as const)('by SIGTERM, and at once by %s, %s', async (second, _, { grace, code }) => {
    await using database = await createDatabase('postgres');
    const env = { ...database.env, SHUTDOWN_GRACE_MS: grace };
    await using server = await startServer({ env });
    server.signal('SIGTERM');
    await until(() => logOf(server).some(({ msg }) => msg === 'stopping'));
    server.signal(second);
    expect(await server.exited).toEqual({ code, signal: null });
  });

  test('does not wait for clients that hold their connections', async () => {
    await using service = await startService('postgres');
    await using opened = new AsyncDisposableStack();
    const { server } = service;
    const clients = {
      'says nothing': '',
      'keeps its connection alive': 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n',
      'never sends its body': 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
      'never ends its headers': 'GET /v1/pets HTTP/1.1\r\nHost:',
      'asks for a tunnel': 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      'does not speak HTTP': '\x16\x03\x01\x02\r\n\r\n',
    };
    for (const bytes of Object.values(clients)) {
      const client = opened.use(await open(server));
      client.socket.write(bytes);
      if (/\r\n\r\n$/.test(bytes)) await until(() => client.received().startsWith('HTTP/1.1 4'));
    }
    server.signal('SIGINT');
    const ended = await until(() => server.exited, { timeoutMs: 10_000 });
    expect(ended).toEqual({ code: 0, signal: null });
  });
});

describe('a stop during the start', () => {
  /** One line says that it was asked for. */
  const expectCalledOff = ({ code, stdout, stderr }: ServerRun, signal: string) => {
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      level: 'info',
      time: expect.anything(),
      signal,
      msg: 'stopping',
    });
  };

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s does not wait for a Postgres that does not answer',
    async (signal) => {
      let connections = 0;
      await using silent = createServer((socket) => {
        connections += 1;
        socket.on('error', () => {}).resume();
      }).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as { port: number };
      const run = await runServer({
        env: { DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${port}/animals` },
        interrupt: { signal, when: () => connections > 0 },
      });
      expectCalledOff(run, signal);
    },
  );

  test('lets go of the data directory', async () => {
    await using directory = await temporaryDirectory();
    const dataDir = directory.path;
    const when = () => existsSync(join(dataDir, 'lock'));
    expectCalledOff(
      await runServer({ dataDir, interrupt: { signal: 'SIGTERM', when } }),
      'SIGTERM',
    );
    lockDataDir(dataDir).release();
  });
});

// Linux has a device that is a full disk.
test.skipIf(!existsSync('/dev/full'))(
  'a banner that cannot be written keeps nobody from being served',
  async () => {
    await using database = await createDatabase('postgres');
    const port = await freePort();
    const main = new URL('../../src/main.ts', import.meta.url).pathname;
    const { code } = await runServer({
      command: ['sh', '-c', 'exec "$0" "$1" > /dev/full', process.execPath, main],
      env: { ...database.env, PORT: String(port) },
      interrupt: { signal: 'SIGTERM', when: () => fetch(`http://127.0.0.1:${port}/v1/pets`) },
    });
    expect(code).toBe(0);
  },
);

describe('a failure that nobody expected', () => {
  test.each(['exception', 'rejection'])(
    '(%s) is logged, and ends the process with exit code 1',
    async (by) => {
      const crash = new URL(`../support/crash.ts?by=${by}`, import.meta.url);
      await using service = await startService('postgres', {
        env: { NODE_OPTIONS: `--import=${crash}` },
      });
      const { server } = service;
      server.signal('SIGUSR2');
      expect(await server.exited).toEqual({ code: 1, signal: null });
      expect(logOf(server).slice(1)).toEqual([
        {
          level: 'fatal',
          time: expect.anything(),
          error: {
            type: 'TypeError',
            message: 'nobody expected this of ast_…',
            stack: expect.stringContaining('crash.ts'),
          },
          msg: 'a failure that nobody expected: exiting',
        },
      ]);
      expect(server.output()).not.toMatch(/0123456789abcdef|a parameter of a statement/);
    },
  );
});

test('npm start serves, and Ctrl-C in the terminal ends it with exit code 0', async () => {
  await using server = await startServer({ command: ['npm', 'start'], timeoutMs: 300_000 });
  const token = server.demoKey ?? '';
  expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  using request = await beginCreation(server, token);
  // A terminal sends it to the whole foreground process group, which npm leads here.
  process.kill(-server.pid, 'SIGINT');
  await untilRefused(server);
  expect(await request.finish()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(server.output()).not.toMatch(/npm error|ELIFECYCLE/);
}, 360_000);

describe('an address that cannot be had', () => {
  test('is refused when the port is in use, and the key is still shown by the next start', async () => {
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

  test('is refused when the host is not ours or is nobody', async () => {
    // 192.0.2.0/24 is for documentation (RFC 5737), and .invalid is no domain (RFC 2606).
    await using database = await createDatabase('postgres');
    for (const host of ['192.0.2.1', 'no-such-host.invalid']) {
      const refused = await runServer({ env: { ...database.env, HOST: host } });
      expectRefusal(refused, /^HOST: cannot listen on /);
    }
  });
});

describe('a data directory that cannot be used', () => {
  test.each([
    ['is a file', 'file'],
    ['is below a file', 'file/below'],
    ['is further below a file', 'file/below/it'],
  ])('is refused in one line when it %s', async (_, path) => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, 'file'), '');
    const refused = await runServer({ dataDir: join(directory.path, path) });
    expectRefusal(refused, /^DATA_DIR: cannot open \S+: E\w+: /);
  });

  // Nobody may write to /proc, not even root. Elsewhere there is none, and only root may make one.
  test.each(['/proc/animal-store', '/proc/animal-store/data'])(
    'is refused in one line when it cannot be made: %s',
    async (dataDir) => {
      const refused = await runServer({ dataDir, timeoutMs: 20_000 });
      expectRefusal(refused, /^DATA_DIR: cannot open \S+: E\w+: /);
    },
  );

  test.each([
    ['a file where the database should be', 'postgres'],
    ['something else where the lock should be', 'lock'],
  ])('is refused in one line when it holds %s', async (_, name) => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, name), 'something else, and enough of it to be read');
    const refused = await runServer({ dataDir: directory.path });
    expectRefusal(refused, /^DATA_DIR: cannot open \S+: (?!.*object Object)\w/);
  });
});

describe('variables', () => {
  test('that are bad are all reported at once, a line each, without their values', async () => {
    const env = {
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

  test('that are empty count as unset', async () => {
    await using database = await createDatabase('embedded');
    // Not PORT: its default may be in use here.
    const empty = { HOST: '', DATABASE_URL: '', REDIS_URL: '', PUBLIC_URL: '', TRUST_PROXY: '' };
    await using server = await startServer({ env: { ...database.env, ...empty } });
    expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(server.demoKey).toBeDefined();
  });

  test('PORT is the port', async () => {
    const port = await freePort();
    await using service = await startService('postgres', { env: { PORT: String(port) } });
    expect(service.server.baseUrl).toBe(`http://127.0.0.1:${port}/v1`);
  });

  test('PUBLIC_URL is where links lead, whatever host was asked', async () => {
    const env = { PUBLIC_URL: 'https://api.example.com' };
    await using service = await startService('postgres', { env });
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
  const start = (url: string) => runServer({ env: { DATABASE_URL: url }, timeoutMs: 30_000 });
  const refusal = /^DATABASE_URL: cannot open the database: (?!\w+ CONNECT_TIMEOUT)\S/;

  test('seeds nothing, keeps nothing in DATA_DIR and prints no key', async () => {
    await using database = await postgresAt(inject('postgres')).createDatabase();
    await using server = await startServer({ env: { DATABASE_URL: database.url } });
    expect(server.output()).not.toMatch(tokens);
    expect(server.output()).not.toContain(database.url);
    expect(await readdir(server.dataDir)).toEqual([]);
    const { db, close } = await openPostgres(database.url);
    expect(await db.$count(pets)).toBe(0);
    expect(await db.$count(apiKeys)).toBe(0);
    await close();
  });

  test('is refused where nobody listens', async () => {
    const url = `postgres://user:hunter2@127.0.0.1:${await freePort()}/animals`;
    expectRefusal(await start(url), refusal);
  });

  test('is refused with a wrong password', async () => {
    const url = new URL(adminUrl);
    url.password = 'hunter2';
    expectRefusal(await start(url.href), refusal);
  });

  test('is refused without such a database', async () => {
    expectRefusal(await start(new URL('/no_such_database', adminUrl).href), refusal);
  });

  test('is refused with a password that is not percent-encoded', async () => {
    const refused = await start('postgres://user:hunter2%@127.0.0.1/animals');
    expectRefusal(refused, /^DATABASE_URL: expected postgres:\/\/user:password@host\/name/);
  });

  // Beside each other: most of the time, they wait for one who says nothing.
  test.concurrent.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => {}],
    ['hangs up at once', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['speaks HTTP', (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n'))],
    ['speaks SSH', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
  ])('is refused, and soon, where somebody else listens who %s', async (_, behave) => {
    await using impostor = createServer((socket) => {
      socket.on('error', () => {}).resume();
      behave(socket);
    }).listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    const { port } = impostor.address() as { port: number };
    expectRefusal(await start(`postgres://user:hunter2@127.0.0.1:${port}/animals`), refusal);
  });
});

const newPet = '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}';

async function petAt(server: Server, pet: unknown, token: string): Promise<unknown> {
  const { id } = pet as { id: number };
  return (await call(`${server.baseUrl}/pets/${id}`, { token })).body;
}

/** One line on stderr, exit code 1, and nothing else: no stack, no secret. */
function expectRefusal({ code, stdout, stderr }: ServerRun, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).not.toContain('    at ');
  expect(stderr).not.toContain('hunter2');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

type Client = Disposable & { socket: Socket; received(): string };

/** A connection that stays open until the server, or the end of the test, closes it. */
async function open({ origin }: Server): Promise<Client> {
  const { hostname: host, port } = new URL(origin);
  let received = '';
  // Half-open: it does not close its side because the server does.
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {}).setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'connect');
  return { socket, received: () => received, [Symbol.dispose]: () => socket.destroy() };
}

/** Sends all of a creation but its body; it is in flight once the server says 100 Continue. */
async function beginCreation(server: Server, token: string) {
  const client = await open(server);
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
  client.socket.write(
    [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${newPet.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  );
  await until(() => client.received() === interim);
  return {
    /** Sends the body, and gives the answer. */
    async finish(): Promise<string> {
      client.socket.write(newPet);
      return await until(
        () => client.socket.readableEnded && client.received().slice(interim.length),
      );
    },
    [Symbol.dispose]: () => client.socket.destroy(),
  };
}

/** Waits until nobody accepts connections any more. */
function untilRefused({ origin }: Server): Promise<unknown> {
  const { hostname: host, port } = new URL(origin);
  return until(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port: Number(port) });
        socket.once('connect', () => {
          socket.destroy();
          resolve(false);
        });
        socket.once('error', (error: NodeJS.ErrnoException) =>
          resolve(error.code === 'ECONNREFUSED'),
        );
      }),
    { intervalMs: 5 },
  );
}

/** A command that runs the server, and kills it as soon as its database has that many files. */
async function killedOnceThereAre(
  files: number,
  dataDir: string,
): Promise<[command: string, ...args: string[]]> {
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const script = `
    const { readdirSync } = require('node:fs');
    const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(main)}]);
    const count = () => {
      try {
        return readdirSync(${JSON.stringify(join(dataDir, 'postgres'))}, { recursive: true }).length;
      } catch {
        return 0;
      }
    };
    const timer = setInterval(() => count() >= ${files} && child.kill('SIGKILL'), 1);
    child.on('exit', () => clearInterval(timer));
  `;
  return [process.execPath, '-e', script];
}
