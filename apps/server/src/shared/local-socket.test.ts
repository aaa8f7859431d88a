import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { localSocketPath, openLocalSocket } from './local-socket.ts';

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
