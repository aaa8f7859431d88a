import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProgram, freePort, runServer, type Server, startServer } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { stopClocksAt } from '../support/freeze-clocks.ts';
import { beginCreation, newPet, untilRefused } from '../support/held-request.ts';
import { call } from '../support/test-service.ts';

const run = promisify(execFile);

/** A token, wherever it stands. */
const tokens = /\bast_[0-9A-Za-z]{36}\b/g;

describe('the first start', () => {
  const resources = new AsyncDisposableStack();
  let server: Server;
  let token = '';

  beforeAll(async () => {
    server = resources.use(await startServer());
    token = server.demoKey ?? '';
  });
  afterAll(() => resources.disposeAsync());

  test('prints its address, with the port that it chose for PORT=0', async () => {
    expect(server.output()).toMatch(
      /^Animal Store is listening on http:\/\/127\.0\.0\.1:\d+\/v1$/m,
    );
    expect(new URL(server.baseUrl).port).not.toBe('0');
    expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  });

  test('prints the data directory', () => {
    expect(server.output()).toContain(server.dataDir);
  });

  test('prints one key, alone and in the curl command, and no warning', () => {
    expect(new Set(server.output().match(tokens))).toEqual(new Set([token]));
    expect(server.output().match(tokens)).toHaveLength(2);
    expect(server.output()).not.toMatch(/error|warn/i);
  });

  test('prints a curl command that works when pasted', async () => {
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

  test('adds more than one page of sample animals, of every status', async () => {
    const { body, headers } = await call(`${server.baseUrl}/pets`, { token });
    expect(body).toHaveLength(20);
    expect(headers.get('Link')).toContain('rel="next"');
    const statuses = new Set((body as { status: string }[]).map(({ status }) => status));
    expect(statuses).toEqual(new Set(['available', 'pending', 'sold']));
  });

  test('prevents a second server from using its data directory, and keeps running', async () => {
    const second = await runServer({ dataDir: server.dataDir });
    expectRefusal(second, /^DATA_DIR: another Animal Store is running on \S+\. Stop it, or/);
    expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  });
});

test('a start on existing data keeps animals and key, after a stop and after kill -9', async () => {
  await using database = await createDatabase('embedded');
  const { env } = database;
  await using first = await startServer({ env });
  const token = first.demoKey ?? '';
  const created = await call(`${first.baseUrl}/pets`, { token, json: newPet });
  const expectKept = async (server: Server) => {
    expect(server.output()).not.toMatch(tokens);
    expect(server.output()).toContain('was shown at the first start');
    expect(await petAt(server, created.body, token)).toEqual(created.body);
  };
  expect(await first.stop()).toBe(0);

  await using second = await startServer({ env });
  await expectKept(second);
  // It leaves its lock, which the next one takes over.
  await second.kill();

  await using third = await startServer({ env });
  await expectKept(third);
});

// `heavy/start.heavy.test.ts` has starts in an empty directory, that are killed half-way, and many at once.

// Linux has a device that is a full disk.
test.skipIf(!existsSync('/dev/full'))(
  'requests are served even if the banner cannot be written',
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
  await using database = await createDatabase('embedded');
  // npm passes the signal on. With its clock stopped, the server takes that for the same Ctrl-C, however
  // slow npm is.
  const env = { ...database.env, npm_config_node_options: stopClocksAt('SIGINT') };
  await using server = await startServer({ command: ['npm', 'start'], env });
  const token = server.demoKey ?? '';
  expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  using request = await beginCreation(server, token);
  // A terminal sends it to the whole foreground process group, which npm leads here.
  process.kill(-server.pid, 'SIGINT');
  const finished = request.finish();
  await untilRefused(server);
  expect(await finished).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(server.output()).not.toMatch(/npm error|ELIFECYCLE/);
});

async function petAt(server: Server, pet: unknown, token: string): Promise<unknown> {
  const { id } = pet as { id: number };
  return (await call(`${server.baseUrl}/pets/${id}`, { token })).body;
}
