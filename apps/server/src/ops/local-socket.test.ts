import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { localSocketPath } from '@animal-store/runtime';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openLocalSocket } from './local-socket.ts';

// Regression: the socket was created first and made private afterwards. In between, other users
// could connect if the umask and the directory allowed it.
test('openLocalSocket creates a socket that only its owner may use, whatever the umask is', async () => {
  await using directory = await temporaryDirectory();
  const umask = process.umask(0);
  try {
    const opening = openLocalSocket(directory.path, (_req, res) => res.end());
    expect(statSync(localSocketPath(directory.path)).mode & 0o777).toBe(0o600);
    expect(process.umask()).toBe(0);
    await (await opening).close();
  } finally {
    process.umask(umask);
  }
});

// The path of a Unix socket may have at most 107 characters on Linux. Linux would cut a longer
// path, so two servers could share one socket.
test('openLocalSocket works when the path of the data directory is longer than a Unix socket path may be', async () => {
  await using directory = await temporaryDirectory();
  const dataDir = join(directory.path, 'd'.repeat(200));
  mkdirSync(dataDir, { mode: 0o700 });
  const socket = await openLocalSocket(dataDir, (_req, res) => res.end());
  expect(readdirSync(dataDir)).toEqual(['ops.sock']);

  const req = request({ socketPath: localSocketPath(dataDir), agent: false }).end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  res.resume();
  expect(res.statusCode).toBe(200);

  await socket.close();
  expect(readdirSync(dataDir)).toEqual([]);
});
