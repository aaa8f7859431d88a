import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  findProgram,
  freePort,
  runServer,
  type Server,
  startServer,
  temporaryDirectory,
} from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { beginCreation, newPet, untilRefused } from '../support/held-request.ts';
import { call } from '../support/service.ts';

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
});

async function petAt(server: Server, pet: unknown, token: string): Promise<unknown> {
  const { id } = pet as { id: number };
  return (await call(`${server.baseUrl}/pets/${id}`, { token })).body;
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
