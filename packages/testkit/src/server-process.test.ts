import { expect, test } from 'vitest';
import { runServer, startServer } from './server-process.ts';

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
  console.log('The demo key is ${key}.');
`;

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

test('an API key in the log is an error at disposal', async () => {
  const server = await startServer(script(`console.error('${key}');${listening}`));
  await expect(server[Symbol.asyncDispose]()).rejects.toThrow('API key in the log');
});

test('a failed start is an error with the exit code and the output', async () => {
  const failing = startServer(
    script(`console.log('to stdout'); console.error('PORT: not a port'); process.exitCode = 3`),
  );
  await expect(failing).rejects.toThrow(/exit code 3\n(?=.*to stdout)(?=.*PORT: not a port)/s);
});

test('a run of a server that does start is an error', async () => {
  await expect(runServer(script(listening))).rejects.toThrow('should have ended, but it is listen');
});
