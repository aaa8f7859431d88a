import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findServer } from './find-server.ts';

const token = 'an-admin-token-for-tests';
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeEach(async () => {
  directory = await temporaryDirectory();
  for (const name of ['OPS_URL', 'OPS_PORT', 'ADMIN_TOKEN']) vi.stubEnv(name, '');
  vi.stubEnv('DATA_DIR', directory.path);
  return () => directory[Symbol.asyncDispose]();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('findServer prefers command-line options to environment variables, and OPS_URL to OPS_PORT', async () => {
  const tokenFile = join(directory.path, 'token');
  await writeFile(tokenFile, `${token}\n`);
  const found = (url: string) => ({ name: url, url, token });
  vi.stubEnv('ADMIN_TOKEN', token);
  vi.stubEnv('OPS_PORT', '1');
  expect(findServer({})).toEqual(found('http://127.0.0.1:1'));
  vi.stubEnv('OPS_URL', 'http://ops:2');
  expect(findServer({ url: 'https://ops' })).toEqual(found('https://ops'));
  vi.stubEnv('ADMIN_TOKEN', 'another-admin-token');
  expect(findServer({ tokenFile })).toEqual(found('http://ops:2'));
});

test.each([
  [
    {},
    'No server uses the directory HERE. If the server is stopped, start it (npm start). If it uses another directory, set DATA_DIR to that directory. If it runs on another machine, set OPS_URL and ADMIN_TOKEN.',
  ],
  [
    { DATA_DIR: 'HERE/file' },
    'The socket HERE/file/ops.sock cannot be used: ENOTDIR. Check that DATA_DIR is the data directory of the server.',
  ],
  // Regression: if the path was so long that the CLI shortens it, the CLI ended with a stack trace.
  [
    { DATA_DIR: `HERE/none/${'long/'.repeat(30)}` },
    `No server uses the directory HERE/none/${'long/'.repeat(29)}long. If the server is stopped`,
  ],
  [
    { DATA_DIR: `HERE/file/${'long/'.repeat(30)}` },
    `The socket HERE/file/${'long/'.repeat(30)}ops.sock cannot be used: ENOTDIR.`,
  ],
  [
    { OPS_URL: 'http://ops:2' },
    'There is no admin token for http://ops:2. Set ADMIN_TOKEN, or pass --token-file.',
  ],
  [
    {},
    'The token file HERE/none cannot be read: ENOENT. Check the path in --token-file.',
    'HERE/none',
  ],
  [
    {},
    'The token file HERE/file contains no valid admin token. A token has 16 to 256 visible ASCII characters.',
    'HERE/file',
  ],
])(
  'findServer fails with a helpful message for the environment %j: %s',
  async (env, message, tokenFile?: string) => {
    const here = (text: string) => text.replaceAll('HERE', directory.path);
    await writeFile(join(directory.path, 'file'), `${token}\nand a note\n`);
    for (const [name, text] of Object.entries(env)) vi.stubEnv(name, here(text));
    expect(() => findServer({ tokenFile: tokenFile && here(tokenFile) })).toThrow(here(message));
  },
);

test('findServer names invalid variables in its error, but does not show their values', () => {
  vi.stubEnv('OPS_URL', 'nowhere');
  vi.stubEnv('ADMIN_TOKEN', 'hush');
  expect(() => findServer({})).toThrow(/^OPS_URL: expected an .*\nADMIN_TOKEN: (?!.*hush)/);
});

test('findServer without a token uses the Unix socket in the data directory, but only if the user is root or owns the socket', async () => {
  const { path } = directory;
  const socketPath = join(path, 'ops.sock');
  await using server = createServer().listen(socketPath);
  await once(server, 'listening');
  expect(findServer({})).toEqual({ name: path, socketPath });
  // Another user could prepare the directory and run a fake server on the socket, so the CLI checks
  // the owner.
  vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
  expect(() => findServer({})).toThrow(`The socket ${socketPath} belongs to another user.`);
  vi.spyOn(process, 'geteuid').mockReturnValue(0);
  expect(findServer({}).name).toBe(path);
});
