import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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

test.each<
  [env: Record<string, string>, options: { url?: string; tokenFile?: string }, url: string]
>([
  [{ ADMIN_TOKEN: token, OPS_PORT: '1' }, {}, 'http://127.0.0.1:1'],
  [{ ADMIN_TOKEN: token, OPS_URL: 'http://ops:2' }, { url: 'https://ops' }, 'https://ops'],
  // It goes before the environment, and may end with a line feed.
  [
    { ADMIN_TOKEN: 'another-admin-token', OPS_URL: 'http://ops:2' },
    { tokenFile: 'HERE/token' },
    'http://ops:2',
  ],
])('with %j and %j it is %s', async (env, options, url) => {
  await writeFile(join(directory.path, 'token'), `${token}\n`);
  for (const [name, text] of Object.entries(env)) vi.stubEnv(name, text);
  const tokenFile = options.tokenFile?.replace('HERE', directory.path);
  expect(findServer({ ...options, tokenFile })).toEqual({ name: url, url, token });
});

test.each([
  [
    {},
    'No server runs on HERE. Start it (npm start), or set DATA_DIR, or OPS_URL and ADMIN_TOKEN.',
  ],
  [{ DATA_DIR: 'HERE/file' }, 'HERE/file/ops.sock cannot be used: ENOTDIR.'],
  [
    { OPS_URL: 'http://ops:2' },
    'There is no admin token for http://ops:2. Set ADMIN_TOKEN, or give --token-file.',
  ],
  [{}, 'HERE/none cannot be read: ENOENT.', 'HERE/none'],
  [{}, 'HERE/file holds no admin token: 16 to 256 visible ASCII characters.', 'HERE/file'],
])('with %j it says: %s', async (env, message, tokenFile?: string) => {
  const here = (text: string) => text.replaceAll('HERE', directory.path);
  await writeFile(join(directory.path, 'file'), `${token}\nand a note\n`);
  for (const [name, text] of Object.entries(env)) vi.stubEnv(name, here(text));
  expect(() => findServer({ tokenFile: tokenFile && here(tokenFile) })).toThrow(here(message));
});

test('a setting that is not valid is named, and not shown', () => {
  vi.stubEnv('OPS_URL', 'nowhere');
  vi.stubEnv('ADMIN_TOKEN', 'hush');
  expect(() => findServer({})).toThrow(/^ADMIN_TOKEN: (?!.*hush).*\nOPS_URL: expected an /);
});

describe('the socket of a data directory', () => {
  beforeEach(async () => {
    const server = createServer().listen(join(directory.path, 'ops.sock'));
    await once(server, 'listening');
    return () => server[Symbol.asyncDispose]();
  });

  test('is used without a token', () => {
    const { path } = directory;
    expect(findServer({})).toEqual({ name: path, socketPath: join(path, 'ops.sock') });
  });

  // A directory that somebody else prepared may hold a server that answers in our server's place.
  test("is refused if it is another user's, except by root", () => {
    vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
    expect(() => findServer({})).toThrow(`${directory.path}/ops.sock belongs to another user.`);
    vi.spyOn(process, 'geteuid').mockReturnValue(0);
    expect(findServer({}).name).toBe(directory.path);
  });
});
