import { watch } from 'node:fs/promises';
import { runServer, temporaryDirectory, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { lockDataDir } from '../../src/database/data-dir-lock.ts';
import { beginCreation, openConnection, untilRefused } from '../support/held-request.ts';
import { logOf } from '../support/observed.ts';
import { openRawServer } from '../support/raw-server.ts';
import { startProcess } from '../support/test-service.ts';

// On the embedded database: start.test.ts.
test('a stop by SIGTERM answers the request in flight and accepts no other, and LOG_LEVEL=warn leaves out all of it', async () => {
  await using service = await startProcess('postgres', { env: { LOG_LEVEL: 'warn' } });
  const { server, tokens } = service;
  expect((await service.call('/pets', { token: null })).status).toBe(401);
  expect((await service.call('/pets')).status).toBe(200);
  const before = server.output();
  using request = await beginCreation(server, tokens.free);
  server.signal('SIGTERM');
  // At once: after SIGINT the request has two seconds to finish.
  const finished = request.finish();
  await untilRefused(server);
  expect(await finished).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(server.output()).toBe(before);
  expect(logOf(server)).toEqual([]);
});

test('a stop does not wait for clients that keep their connections open, and the log tells of it', async () => {
  // As long as the other time limits of a test's server: waiting for any of them would hang.
  const env = { KEEP_ALIVE_TIMEOUT_MS: '600000' };
  await using service = await startProcess('postgres', { env });
  await using opened = new AsyncDisposableStack();
  const { server } = service;
  const clients = {
    'says nothing': '',
    'keeps its connection alive': 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n',
    'never sends its body': 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
    'never ends its headers': 'GET /v1/pets HTTP/1.1\r\nHost:',
    'asks for an upgrade':
      'GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  };
  for (const bytes of Object.values(clients)) {
    const client = opened.use(await openConnection(server));
    client.socket.write(bytes);
    if (/\r\n\r\n$/.test(bytes)) await until(() => client.received().startsWith('HTTP/1.1 4'));
  }
  server.signal('SIGINT');
  expect(await until(() => server.exited)).toEqual({ code: 0, signal: null });
  const told = logOf(server).filter(({ msg }) => /^stop/.test(msg));
  expect(told).toMatchObject([
    { level: 'info', signal: 'SIGINT', msg: 'stopping' },
    { level: 'info', msg: 'stopped' },
  ]);
});

// Behind a real load balancer: `npm run test:deploy -- load-balancer`.
test('within SHUTDOWN_GRACE_MS requests are served, and load balancers are told to go elsewhere', async () => {
  const env = { SHUTDOWN_GRACE_MS: '60000' };
  await using service = await startProcess('postgres', { env });
  const before = await service.call('/pets');
  expect([before.status, before.headers.get('Connection')]).toEqual([200, 'keep-alive']);
  service.server.signal('SIGTERM');
  await until(async () => (await fetch(`${service.server.opsUrl}/readyz`)).status === 503);
  const during = await service.call('/pets');
  expect([during.status, during.headers.get('Connection')]).toEqual([200, 'close']);
});

test('a stop during the start does not wait for a Postgres that does not answer', async () => {
  const connected = Promise.withResolvers<void>();
  await using silent = await openRawServer((socket) => {
    connected.resolve();
    socket.resume();
  });
  const { code, stdout, stderr } = await runServer({
    env: { DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${silent.port}/animals` },
    interrupt: { signal: 'SIGINT', after: connected.promise },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const line = { level: 'info', time: expect.anything(), signal: 'SIGINT', msg: 'stopping' };
  expect(JSON.parse(stderr)).toEqual(line);
});

test('a stop during the start releases the data directory', async () => {
  // Not a copied one, in which a lock that was released is left.
  await using directory = await temporaryDirectory();
  const dataDir = directory.path;
  const untilLocked = async () => {
    for await (const { filename } of watch(dataDir)) if (filename === 'lock') return;
  };
  const after = untilLocked();
  const { code } = await runServer({ dataDir, interrupt: { signal: 'SIGTERM', after } });
  expect(code).toBe(0);
  lockDataDir(dataDir).release();
});

test('an unexpected error is logged and ends the process with exit code 1', async () => {
  const crash = new URL('../support/crash.ts?by=rejection', import.meta.url);
  const env = { NODE_OPTIONS: `--import=${crash}` };
  await using service = await startProcess('postgres', { env });
  const { server } = service;
  server.signal('SIGUSR2');
  expect(await server.exited).toEqual({ code: 1, signal: null });
  const message = 'nobody expected this of ast_…';
  const stack = expect.stringContaining('crash.ts');
  const error = { type: 'TypeError', message, stack };
  const msg = 'a failure that nobody expected: exiting';
  expect(logOf(server).slice(1)).toEqual([{ level: 'fatal', time: expect.anything(), error, msg }]);
  expect(server.output()).not.toMatch(/0123456789abcdef|a parameter of a statement/);
});
