import { once } from 'node:events';
import { openConnection, openRawServer, spawnServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { beginCreation, untilRefused } from '../support/held-request.ts';
import { logOf } from '../support/observed.ts';
import { startProcess } from '../support/test-service.ts';

// `start.test.ts` tests SIGINT and the embedded database.
test('the server process finishes the request in flight after SIGTERM, accepts no new requests, and does not wait for idle clients', async () => {
  // The keep-alive timeout is very long, like all timeouts in tests. If the shutdown waited for
  // this timeout, the test would fail.
  const env = { KEEP_ALIVE_TIMEOUT_MS: '600000' };
  await using service = await startProcess('postgres', { env });
  const { server, tokens } = service;
  const ask = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n';
  for (const bytes of [`${ask}\r\n`, `${ask}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`]) {
    const socket = await openConnection(server.origin);
    socket.write(bytes);
    await once(socket, 'data');
  }
  using request = await beginCreation(server, tokens.free);
  server.signal('SIGTERM');
  // The stopping server waits up to five seconds for the open request. The test finishes the
  // request immediately, so the server can stop sooner.
  const finished = request.finish();
  await untilRefused(server);
  expect(await finished).toBe(201);
  expect(await until(() => server.exited)).toEqual({ code: 0, signal: null });
  const stopLines = logOf(server).filter(({ msg }) => /^stop/.test(msg));
  expect(stopLines).toMatchObject([
    { level: 'info', signal: 'SIGTERM', msg: 'stopping' },
    { level: 'info', msg: 'stopped' },
  ]);
});

test('the server process stops during its start even if Postgres does not respond', async () => {
  const connected = Promise.withResolvers<void>();
  await using silent = await openRawServer((socket) => {
    connected.resolve();
    socket.resume();
  });
  const DATABASE_URL = `postgres://user:hunter2@127.0.0.1:${silent.port}/animals`;
  await using starting = await spawnServer({ env: { DATABASE_URL } });
  await connected.promise;
  starting.signal('SIGINT');
  expect(await starting.exited).toEqual({ code: 0, signal: null });
  expect(starting.stdout()).toBe('');
  const line = { level: 'info', time: expect.anything(), signal: 'SIGINT', msg: 'stopping' };
  expect(JSON.parse(starting.stderr())).toEqual(line);
});

test('the server process logs an unexpected error and ends with exit code 1', async () => {
  const crash = new URL('../support/crash.ts', import.meta.url);
  const env = { NODE_OPTIONS: `--import=${crash}` };
  await using service = await startProcess('postgres', { env });
  const { server } = service;
  server.signal('SIGUSR2');
  expect(await server.exited).toEqual({ code: 1, signal: null });
  const message = 'nobody expected this of ast_…';
  const stack = expect.stringContaining('crash.ts');
  const error = { type: 'TypeError', message, stack };
  const msg = 'unexpected failure: the process exits';
  expect(logOf(server).slice(1)).toEqual([{ level: 'fatal', time: expect.anything(), error, msg }]);
  expect(server.output()).not.toMatch(/0123456789abcdef|a parameter of a statement/);
});
