import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  findProgram,
  freePort,
  type ProcessExit,
  runServer,
  type Server,
  type ServerRun,
  startServer,
} from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { beginCreation, newPet, untilRefused } from '../support/held-request.ts';
import { type CliEnvironment, type CliRun, cli } from '../support/run-command.ts';
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

  test('prints where the console is, and nothing warns when it is opened', async () => {
    expect(server.output()).toContain(`Console  ${server.opsUrl}/console`);
    const { text } = await call(`${server.opsUrl}/console`);
    const [, script = ''] = /src="(\/console\/[^"]+)"/.exec(text) ?? [];
    // Its types are stripped, which Node once warned of.
    expect((await call(server.opsUrl + script)).status).toBe(200);
    expect(server.output()).not.toMatch(/warning/i);
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

// Together, because a start on the embedded database takes the longest of all.
describe('a data directory whose first start is refused, and whose servers are stopped, killed and replaced', () => {
  const resources = new AsyncDisposableStack();
  let takenPort = '';
  let refused: ServerRun;
  let token = '';
  let created: unknown;
  let stop: { exit: ProcessExit; before: string; after: string };
  let isSocketLeft: { afterStop: boolean; afterKill: boolean };
  let afterKill: { dataDir: string; list: CliRun; connections: number };
  /** What each of the three servers was like while it ran. */
  const lives: Awaited<ReturnType<typeof observe>>[] = [];

  beforeAll(async () => {
    const database = resources.use(await createDatabase('embedded'));
    const env = { ...database.env, ADMIN_TOKEN: adminToken, LOG_LEVEL: 'warn' };
    const dataDir = database.env['DATA_DIR'] ?? '';
    const socket = join(dataDir, 'ops.sock');
    const start = async (more = {}) =>
      resources.use(await startServer({ env: { ...env, ...more } }));

    const other = resources.use(createServer().listen(0, '127.0.0.1'));
    await once(other, 'listening');
    takenPort = String((other.address() as { port: number }).port);
    refused = await runServer({ env: { ...env, PORT: takenPort } });

    const first = await start();
    token = first.demoKey ?? '';
    created = (await call(`${first.baseUrl}/pets`, { token, json: newPet })).body;
    lives.push(await observe(first, { dataDir, socket }));
    const before = first.output();
    first.signal('SIGINT');
    stop = { exit: await first.exited, before, after: first.output() };
    const afterStop = existsSync(socket);

    const opsPort = await freePort();
    const second = await start({ OPS_PORT: String(opsPort) });
    lives.push(await observe(second, { dataDir, socket }));
    // It leaves its lock and its socket, which the next one takes over.
    await second.kill();
    isSocketLeft = { afterStop, afterKill: existsSync(socket) };
    afterKill = { dataDir, ...(await listKeysBesideSquatter(opsPort, database.env)) };

    const third = await start();
    lives.push(await observe(third, { dataDir, socket }));
  });
  afterAll(() => resources.disposeAsync());

  async function observe(server: Server, { dataDir, socket }: { dataDir: string; socket: string }) {
    const keys = `${server.opsUrl}/admin/v1/keys`;
    return {
      output: server.output(),
      pet: await petAt(server, created, token),
      modes: [(await stat(socket)).mode & 0o777, (await stat(dataDir)).mode & 0o777],
      statuses: {
        overSocket: await statusOver(socket),
        overPort: (await call(keys, { token: adminToken })).status,
        overPortWithoutToken: (await call(keys)).status,
      },
    };
  }

  test('the start is refused if the port is in use, and the next start still prints the key', () => {
    expectRefusal(
      refused,
      new RegExp(`^PORT: ${takenPort} on 127\\.0\\.0\\.1 is in use\\. Choose`),
    );
    expect(token).toMatch(tokens);
  });

  test('a stop by SIGINT ends with exit code 0, and nothing is written from LOG_LEVEL=warn on', () => {
    expect(stop.exit).toEqual({ code: 0, signal: null });
    expect(stop.after).toBe(stop.before);
  });

  test('animals and key are kept, after a stop and after kill -9', () => {
    expect(lives.map(({ pet }) => pet)).toEqual([created, created, created]);
    for (const { output } of lives.slice(1)) {
      expect(output).not.toMatch(tokens);
      expect(output).toContain('was shown at the first start');
    }
  });

  test("commands over a server's socket need no token, and only its own user may send them", () => {
    for (const { statuses, modes } of lives) {
      expect(statuses).toEqual({ overSocket: 200, overPort: 200, overPortWithoutToken: 401 });
      expect(modes).toEqual([0o600, 0o700]);
    }
  });

  // The CLI once sent the token to whoever listened on the port that a killed server had left behind.
  test('the CLI sends nothing to a port after its server was killed', () => {
    expect(afterKill.list).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: No server answers at ${afterKill.dataDir}: ECONNREFUSED. Is it running?\n`,
    });
    expect(afterKill.connections).toBe(0);
  });

  test('a stop removes the socket, and what kill -9 leaves behind is replaced at the next start', () => {
    expect(isSocketLeft).toEqual({ afterStop: false, afterKill: true });
    expect(lives[2]?.statuses.overSocket).toBe(200);
  });
});

// `first-start.test.ts` has starts that are killed half-way, and many at once.

test('npm start serves, and Ctrl-C in the terminal ends it with exit code 0', async () => {
  await using database = await createDatabase('embedded');
  // npm passes the signal on. With its clock stopped, the server takes that for the same Ctrl-C, however
  // slow npm is.
  const stopClock = 'process.once("SIGINT",()=>{const t=performance.now();performance.now=()=>t})';
  const stoppedClock = `data:text/javascript,${encodeURIComponent(stopClock)}`;
  const env = { ...database.env, npm_config_node_options: `--import=${stoppedClock}` };
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

/** Lists keys by the CLI while somebody else listens on a port, and counts the connections to it. */
async function listKeysBesideSquatter(port: number, env: CliEnvironment) {
  let connections = 0;
  await using squatter = createServer(() => {
    connections += 1;
  }).listen(port, '127.0.0.1');
  await once(squatter, 'listening');
  const list = await cli(['keys', 'list'], env);
  return { list, connections };
}

/** Lists keys over a Unix socket, without a token, and gives the status. */
async function statusOver(socketPath: string): Promise<number> {
  const req = request({ socketPath, path: '/admin/v1/keys' }).end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  res.resume();
  return res.statusCode ?? 0;
}

async function petAt(server: Server, pet: unknown, token: string): Promise<unknown> {
  const { id } = pet as { id: number };
  return (await call(`${server.baseUrl}/pets/${id}`, { token })).body;
}
