import type { Socket } from 'node:net';
import { until } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { startService, useService } from '../support/test-service.ts';
import { closeOf, openConnection } from './connection.ts';

const limit = 3;

/** Sends a request over a connection; whether a response came before the connection was closed. */
async function isServed(socket: Socket): Promise<boolean> {
  socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const response = new Promise<boolean>((resolve) => {
    socket.once('data', (bytes) => resolve(String(bytes).startsWith('HTTP/1.1 404 ')));
  });
  return await Promise.race([response, closeOf(socket).then(() => false)]);
}

/** Opens a connection that is served. The server learns a moment later that another one has ended. */
function openServed(origin: string): Promise<Socket> {
  return until(async () => {
    const socket = await openConnection(origin);
    return (await isServed(socket)) && socket;
  });
}

/** Opens as many connections as are allowed, and holds a listener to the limit. */
async function expectLimited(origin: string): Promise<Socket[]> {
  const open = await Promise.all(Array.from({ length: limit }, () => openServed(origin)));
  for (let i = 0; i < 2; i += 1) expect(await isServed(await openConnection(origin))).toBe(false);
  for (const socket of open) expect(await isServed(socket)).toBe(true);

  open.pop()?.destroy();
  open.push(await openServed(origin));
  expect(await isServed(await openConnection(origin))).toBe(false);
  for (const socket of open) expect(await isServed(socket)).toBe(true);
  return open;
}

// A proxy makes all connections, so there is no limit for its network: one address may have all of them.
describe('with MAX_CONNECTIONS, behind a proxy', () => {
  const service = useService('postgres', {
    env: { MAX_CONNECTIONS: String(limit), TRUST_PROXY: '1' },
  });

  test.each(['public', 'ops'])(
    'beyond it the %s listener closes new connections, and serves the others',
    async (listener) => {
      const { origin, opsUrl } = service.server;
      const [limited, other] = listener === 'public' ? [origin, opsUrl] : [opsUrl, origin];
      const open = await expectLimited(limited);
      // Each listener has its own.
      const unaffected = await openServed(other);
      for (const socket of [...open, unaffected]) socket.destroy();
    },
  );
});

// Regression: one host could open all connections that the public port admits.
test('by default one network has at most a quarter of the connections of the public listener, and all of the ops listener', async () => {
  await using service = await startService('postgres', {
    env: { MAX_CONNECTIONS: String(4 * limit) },
  });
  const { origin, opsUrl } = service.server;
  const open = await expectLimited(origin);
  const other = await openConnection(origin, '127.0.0.2');
  expect(await isServed(other)).toBe(true);
  open.push(other);
  for (let i = 0; i <= limit; i += 1) {
    const socket = await openConnection(opsUrl);
    expect(await isServed(socket)).toBe(true);
    open.push(socket);
  }
  for (const socket of open) socket.destroy();
});
