import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cli } from '@animal-store/cli/testing';
import type { Pet } from '@animal-store/contract';
import {
  findProgram,
  memoryDirectory,
  openRawServer,
  type Server,
  startServer,
  temporaryDirectory,
  until,
} from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { expectStartupError } from '../support/expect-refusal.ts';
import { newPet, untilRefused } from '../support/held-request.ts';
import { listAll } from '../support/list-all-pets.ts';
import { startLoad } from '../support/load.ts';
import { openLocalServer } from '../support/local-server.ts';
import { call, wideQuota } from '../support/test-service.ts';

const run = promisify(execFile);

/** Matches API keys anywhere in a text. */
const tokens = /\bast_[0-9A-Za-z]{36}\b/g;

// `banner.test.ts` tests the texts of the banner. `stop-on-signals.test.ts` tests a Ctrl-C whose
// signal arrives twice. This test starts the server through npm. It fails if npm starts the server
// through a shell, because the shell would end without passing the signal on.
test('the first start prints an API key and a curl command, and later starts and stops lose no created animal', async () => {
  await using directory = await temporaryDirectory({ parent: memoryDirectory() });
  const dataDir = join(directory.path, 'not', 'there', 'yet');
  const env = { DATA_DIR: dataDir, ADMIN_TOKEN: adminToken, LOG_LEVEL: 'warn' };
  const socket = join(dataDir, 'ops.sock');

  // The service shows the demo key only once. So a start that fails must not create this key.
  await using other = await openRawServer();
  const inUse = new RegExp(`^PORT: ${other.port} on 127\\.0\\.0\\.1 is in use\\. Choose`);
  await expectStartupError(openLocalServer({ ...env, PORT: String(other.port) }), inUse);

  const pretty = { ...env, LOG_LEVEL: 'info', LOG_FORMAT: 'pretty' };
  await using first = await startServer({ command: ['npm', 'start'], env: pretty });
  const token = first.demoKey ?? '';
  const output = first.output();
  expect(output).toMatch(/^Animal Store is listening on http:\/\/127\.0\.0\.1:[1-9]\d*\/v1$/m);
  expect(output).toContain(dataDir);
  expect(output).toContain(`Console  ${first.opsUrl}/console`);
  expect(output.match(tokens)).toEqual([token, token]);
  const [line = ''] = output.match(/^ {2}curl .*$/m) ?? [];
  await findProgram('curl');
  const [head = '', body = ''] = (await run('sh', ['-c', line])).stdout.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(JSON.parse(body)).toHaveLength(3);
  const page = await call(`${first.baseUrl}/pets`, { token });
  expect(page.body).toHaveLength(20);
  const statuses = new Set((page.body as Pet[]).map(({ status }) => status));
  expect(statuses).toEqual(new Set(['available', 'pending', 'sold']));

  const { text } = await call(`${first.opsUrl}/console`);
  const [, script = ''] = /src="(\/console\/[^"]+)"/.exec(text) ?? [];
  // Regression: the service let Node remove the types from this script of the console, and Node
  // printed a warning.
  expect((await call(first.opsUrl + script)).status).toBe(200);
  expect(first.output()).not.toMatch(/error|warn/i);

  const created = [(await call(`${first.baseUrl}/pets`, { token, json: newPet })).body as Pet];
  /** Checks that a server works and that no animal is lost. */
  async function expectAlive(server: Server) {
    const [{ id }] = created as [Pet];
    expect((await call(`${server.baseUrl}/pets/${id}`, { token })).body).toEqual(created[0]);
    expect((await cli(['keys', 'list'], { DATA_DIR: dataDir })).code).toBe(0);
    const keys = `${server.opsUrl}/admin/v1/keys`;
    expect((await call(keys, { token: adminToken })).status).toBe(200);
    expect((await call(keys)).status).toBe(401);
    if (server === first) return;
    expect(server.output().match(tokens)).toBeNull();
    expect(server.output()).toContain('was shown at the first start');
  }
  await expectAlive(first);
  first.signal('SIGINT');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  await untilRefused(first);
  expect(first.output()).toMatch(
    /^[\d:]{8} info {2}request method=POST route=\/v1\/pets status=201 /m,
  );
  expect(first.output()).toMatch(/^[\d:]{8} info {2}stopping signal=SIGINT$/m);
  expect(first.output()).not.toMatch(/npm error|ELIFECYCLE/);
  expect(existsSync(socket)).toBe(false);

  await using second = await startServer({ env });
  await expectAlive(second);
  const wide = { plan: 'enterprise', quota: wideQuota };
  const { token: wideToken } = await adminOf(second).create(JSON.stringify(wide));
  created.push(...(await createUntilKilled(second, wideToken)));
  // The killed server leaves its lock and its socket behind, and the next server takes them over.
  // Until then, the CLI must fail and not connect to the port of the killed server. An earlier
  // version of the CLI sent its token to this port, on which another program may listen.
  expect(await cli(['keys', 'list'], { DATA_DIR: dataDir })).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: No server responds at ${dataDir}: ECONNREFUSED. Check that the server is running and that the address is right.\n`,
  });

  // When two servers start at the same time, exactly one of them opens the database and serves.
  const starts = await Promise.allSettled([1, 2].map(() => startServer({ env })));
  await using started = new AsyncDisposableStack();
  const serving = starts.flatMap((it) => (it.status === 'fulfilled' ? started.use(it.value) : []));
  const reasons = starts.flatMap((it) => (it.status === 'rejected' ? String(it.reason) : []));
  const isTaken = /exit code 1\nDATA_DIR: another Animal Store is running on [^\n]+\n$/;
  expect(reasons).toEqual([expect.stringMatching(isTaken)]);
  const [third] = serving as [Server];
  await expectAlive(third);
  const there = await listAll(third, wideToken);
  for (const pet of created) expect(there.get(pet.id)).toEqual(pet);
  const { body: next } = await call(`${third.baseUrl}/pets`, { token: wideToken, json: newPet });
  expect((next as Pet).id).toBeGreaterThan(Math.max(...there.keys()));
});

/**
 * Creates animals until the server has been killed. Returns the animals whose creation was
 * acknowledged with 201.
 */
async function createUntilKilled(server: Server, token: string): Promise<Pet[]> {
  const created: Pet[] = [];
  const load = startLoad({
    callers: 32,
    pauseMs: 1,
    async ask(round, client) {
      const pet = { name: `Animal ${client}/${round} 🐾`, categoryId: round + 1, status: 'sold' };
      const answer = await call(`${server.baseUrl}/pets`, { token, json: JSON.stringify(pet) });
      created.push(answer.body as Pet);
      return { answer, pet };
    },
  });
  await until(() => created.length >= 200);
  expect(load.failures).toEqual([]);
  await server.kill();
  await load.stop();
  for (const { answer, pet } of load.answers)
    expect(answer).toMatchObject({ status: 201, body: pet });
  return created;
}
