import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runServer, startServer } from './server-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const key = `ast_${'0aZ'.repeat(12)}`;

/** A program in the place of the server. */
function script(source: string) {
  return { command: [process.execPath, '-e', source] as const };
}

const listening = `
  process.on('SIGTERM', () => process.exit(0));
  setInterval(() => {}, 1000);
  console.log(JSON.stringify(process.env));
  console.log('Animal Store is listening on http://127.0.0.1:34567/v1');
  console.log('Operators on http://127.0.0.1:34568');
  console.log('The demo key is ${key}.');
`;

test('a started server gives its URLs, its output and its demo key', async () => {
  await using server = await startServer(script(listening));

  expect(server.baseUrl).toBe('http://127.0.0.1:34567/v1');
  expect(server.origin).toBe('http://127.0.0.1:34567');
  expect(await server.stop()).toBe(0);
  expect(server.opsUrl).toBe('http://127.0.0.1:34568');
  expect(server.demoKey).toBe(key);
  expect(server.output()).toContain('is listening');
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

test('its environment has only the defaults and the options', async () => {
  await using server = await startServer({ ...script(listening), env: { PORT: '1', EXTRA: 'x' } });
  expect(JSON.parse(server.output().split('\n')[0] ?? '')).toEqual({
    PATH: expect.any(String),
    HOME: expect.any(String),
    NODE_COMPILE_CACHE: expect.any(String),
    PORT: '1',
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    DATA_DIR: server.dataDir,
    MAX_WAIT_MS: '60000',
    HEADERS_TIMEOUT_MS: '600000',
    REQUEST_TIMEOUT_MS: '600000',
    STALL_TIMEOUT_MS: '600000',
    REDIS_TIMEOUT_MS: '60000',
    EXTRA: 'x',
  });
});

test('a fresh data directory survives the process and is removed on disposal', async () => {
  const server = await startServer(script(listening));
  await server.kill();
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(existsSync(server.dataDir)).toBe(true);
  await server[Symbol.asyncDispose]();
  expect(existsSync(server.dataDir)).toBe(false);
});

test('an API key in the log is an error at disposal', async () => {
  const server = await startServer(script(`console.error('${key}');${listening}`));
  await expect(server[Symbol.asyncDispose]()).rejects.toThrow('API key in the log');
});

test('a given data directory is kept', async () => {
  await using directory = await temporaryDirectory();
  {
    await using server = await startServer({ ...script(listening), dataDir: directory.path });
    expect(server.dataDir).toBe(directory.path);
  }
  expect(existsSync(directory.path)).toBe(true);
});

test('signals reach it until it has ended', async () => {
  await using server = await startServer(script(listening));
  server.signal('SIGHUP');
  expect(await server.exited).toEqual({ code: null, signal: 'SIGHUP' });
  server.signal('SIGHUP');
  expect(await server.stop()).toBe(null);
});

test('child processes are killed when it ends', async () => {
  await using server = await startServer(
    script(`
      const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      ${listening}
    `),
  );
  // Settles only when nobody holds its output open.
  await server.stop();
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

test('a failed start is an error with the exit code and the output', async () => {
  const failing = startServer(
    script(`console.log('to stdout'); console.error('PORT: not a port'); process.exitCode = 3`),
  );
  await expect(failing).rejects.toThrow(/exit code 3\n(?=.*to stdout)(?=.*PORT: not a port)/s);
});

test('a server that is never ready is an error with the output', async () => {
  const hanging = startServer({
    ...script(`console.log('still migrating'); setInterval(() => {}, 1000)`),
    timeoutMs: 1_000,
  });
  await expect(hanging).rejects.toThrow(/within 1000 ms\n/);
});

test('a command that does not exist is an Error that names it', async () => {
  await expect(startServer({ command: ['/no/such/command'] })).rejects.toThrow('/no/such/command');
});

test('a run returns the output and the exit code of a failed start', async () => {
  const run = await runServer(
    script(`console.log('out'); console.error('err'); process.exitCode = 1`),
  );
  expect(run).toEqual({ code: 1, signal: null, stdout: 'out\n', stderr: 'err\n' });
});

test('a run can be interrupted', async () => {
  const { signal } = await runServer({
    ...script('setInterval(() => {}, 1000)'),
    interrupt: { signal: 'SIGHUP', when: () => true },
  });
  expect(signal).toBe('SIGHUP');
});

test('a run of a server that does start is an Error', async () => {
  await expect(runServer(script(listening))).rejects.toThrow('should have ended, but it is listen');
});
