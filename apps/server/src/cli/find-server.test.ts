import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { findServer } from './find-server.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A data directory with a server on its socket. */
async function openSocket() {
  const directory = await temporaryDirectory();
  const server = createServer().listen(join(directory.path, 'ops.sock'));
  await once(server, 'listening');
  vi.stubEnv('DATA_DIR', directory.path);
  return {
    dataDir: directory.path,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('the socket of a data directory is used without a token', async () => {
  await using socket = await openSocket();
  const { dataDir } = socket;
  expect(findServer({})).toEqual({ name: dataDir, socketPath: join(dataDir, 'ops.sock') });
});

// A directory that somebody else prepared may hold a server that answers in our server's place.
test("another user's socket is refused", async () => {
  await using socket = await openSocket();
  vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
  expect(() => findServer({})).toThrow(
    `${join(socket.dataDir, 'ops.sock')} belongs to another user.`,
  );
});

test('root may use the socket of any user', async () => {
  await using socket = await openSocket();
  vi.spyOn(process, 'geteuid').mockReturnValue(0);
  expect(findServer({}).name).toBe(socket.dataDir);
});
