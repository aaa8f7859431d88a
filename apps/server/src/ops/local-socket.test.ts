import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { localSocketPath } from '@animal-store/runtime';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { openLocalSocket } from './local-socket.ts';

// Regression: until its mode was changed, other users could connect if the umask and the directory let them.
test('a socket is private from the moment that it exists, whatever the umask', async () => {
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

// Linux cuts a longer path off, and two servers would then share one socket.
test('a data directory whose path is too long for a socket has one all the same', async () => {
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
