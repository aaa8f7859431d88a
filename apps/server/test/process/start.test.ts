import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, freePort, runServer, type Server, startServer } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { newPet, untilRefused } from '../support/held-request.ts';
import { openRawServer } from '../support/raw-server.ts';
import { cli } from '../support/run-command.ts';
import { call } from '../support/test-service.ts';

const run = promisify(execFile);

/** A token, wherever it stands. */
const tokens = /\bast_[0-9A-Za-z]{36}\b/g;

// The texts of the banner: banner.test.ts. Starts that are killed half-way, and many at once: first-start.test.ts.
test('the first start shows a key and a curl command that works when pasted, and adds animals', async () => {
  await using server = await startServer();
  const token = server.demoKey ?? '';
  const output = server.output();
  expect(output).toMatch(/^Animal Store is listening on http:\/\/127\.0\.0\.1:[1-9]\d*\/v1$/m);
  expect(output).toContain(server.dataDir);
  expect(output).toContain(`Console  ${server.opsUrl}/console`);
  expect(output.match(tokens)).toEqual([token, token]);

  await findProgram('curl');
  const [line = ''] = output.match(/^ {2}curl .*$/m) ?? [];
  const { stdout } = await run('sh', ['-c', line]);
  const [head = '', body = ''] = stdout.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  for (const header of [
    'Content-Type: application/json; charset=utf-8',
    ...['X-RateLimit-Limit: 60', 'X-RateLimit-Remaining: \\d+', 'X-RateLimit-Reset: \\d{10}'],
  ]) {
    expect(head).toMatch(new RegExp(`^${header}\r?$`, 'im'));
  }
  expect(JSON.parse(body)).toHaveLength(3);

  const page = await call(`${server.baseUrl}/pets`, { token });
  expect(page.body).toHaveLength(20);
  expect(page.headers.get('Link')).toContain('rel="next"');
  const statuses = new Set((page.body as { status: string }[]).map(({ status }) => status));
  expect(statuses).toEqual(new Set(['available', 'pending', 'sold']));

  const { text } = await call(`${server.opsUrl}/console`);
  const [, script = ''] = /src="(\/console\/[^"]+)"/.exec(text) ?? [];
  // Its types are stripped, which Node once warned of.
  expect((await call(server.opsUrl + script)).status).toBe(200);
  expect(server.output()).not.toMatch(/error|warn/i);
});

test('a data directory is kept by servers that are refused, stopped, killed and replaced', async () => {
  await using database = await createDatabase('embedded');
  await using other = await openRawServer();
  const env = { ...database.env, ADMIN_TOKEN: adminToken, LOG_LEVEL: 'warn' };
  const dataDir = database.env['DATA_DIR'] ?? '';
  const socket = join(dataDir, 'ops.sock');

  // The key is shown once, and not by a start that is refused.
  const refused = await runServer({ env: { ...env, PORT: String(other.port) } });
  const inUse = new RegExp(`^PORT: ${other.port} on 127\\.0\\.0\\.1 is in use\\. Choose`);
  expectRefusal(refused, inUse);

  await using first = await startServer({ env });
  const token = first.demoKey ?? '';
  expect(token.match(tokens)).toEqual([token]);
  const created = (await call(`${first.baseUrl}/pets`, { token, json: newPet })).body;
  /** What holds of each server while it runs. */
  async function expectAlive(server: Server) {
    const { id } = created as { id: number };
    expect((await call(`${server.baseUrl}/pets/${id}`, { token })).body).toEqual(created);
    // Only its own user may send commands over the socket, which need no token.
    const modes = [(await stat(socket)).mode & 0o777, (await stat(dataDir)).mode & 0o777];
    expect(modes).toEqual([0o600, 0o700]);
    expect(await statusOver(socket)).toBe(200);
    const keys = `${server.opsUrl}/admin/v1/keys`;
    expect((await call(keys, { token: adminToken })).status).toBe(200);
    expect((await call(keys)).status).toBe(401);
    if (server === first) return;
    expect(server.output().match(tokens)).toBeNull();
    expect(server.output()).toContain('was shown at the first start');
  }
  await expectAlive(first);
  const before = first.output();
  first.signal('SIGINT');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  expect(first.output()).toBe(before);
  expect(existsSync(socket)).toBe(false);

  const opsPort = await freePort();
  await using second = await startServer({ env: { ...env, OPS_PORT: String(opsPort) } });
  await expectAlive(second);
  // It leaves its lock and its socket, which the next one takes over.
  await second.kill();
  expect(existsSync(socket)).toBe(true);
  // The CLI once sent the token to whoever listened on the port that a killed server had left behind.
  let connections = 0;
  await using squatter = createServer(() => {
    connections += 1;
  }).listen(opsPort, '127.0.0.1');
  await once(squatter, 'listening');
  expect(await cli(['keys', 'list'], database.env)).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: No server answers at ${dataDir}: ECONNREFUSED. Is it running?\n`,
  });
  expect(connections).toBe(0);

  await using third = await startServer({ env });
  await expectAlive(third);
});

// A shell between npm and the server would end without passing it on. That a terminal's Ctrl-C arrives twice,
// directly and from npm: stop-process.test.ts.
test('npm start serves, ends with exit code 0 when npm passes SIGINT on, and logs for people with LOG_FORMAT=pretty', async () => {
  await using database = await createDatabase('embedded');
  const env = { ...database.env, LOG_FORMAT: 'pretty' };
  await using server = await startServer({ command: ['npm', 'start'], env });
  const token = server.demoKey ?? '';
  expect((await call(`${server.baseUrl}/pets`, { token })).status).toBe(200);
  server.signal('SIGINT');
  expect(await server.exited).toEqual({ code: 0, signal: null });
  await untilRefused(server);
  expect(server.output()).toMatch(
    /^[\d:]{8} info {2}request method=GET route=\/v1\/pets status=200 /m,
  );
  expect(server.output()).toMatch(/^[\d:]{8} info {2}stopping signal=SIGINT$/m);
  expect(server.output()).not.toMatch(/npm error|ELIFECYCLE/);
});

/** Lists keys over a Unix socket, without a token, and gives the status. */
async function statusOver(socketPath: string): Promise<number> {
  const req = request({ socketPath, path: '/admin/v1/keys' }).end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  res.resume();
  return res.statusCode ?? 0;
}
