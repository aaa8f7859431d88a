import type { Socket } from 'node:net';
import { until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { startService } from '../support/test-service.ts';
import { closeOf, openConnection } from './connection.ts';

const listeners = ['public', 'ops'] as const;
const limit = 3;

/** Sends a request over a connection; whether a response came before the connection was closed. */
async function isServed(socket: Socket): Promise<boolean> {
  socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const response = new Promise<boolean>((resolve) => {
    socket.once('data', (bytes) => resolve(String(bytes).startsWith('HTTP/1.1 404 ')));
  });
  return await Promise.race([response, closeOf(socket).then(() => false)]);
}

/** Opens as many connections as are allowed, and holds a listener to the limit. */
async function expectLimited(origin: string): Promise<Socket[]> {
  const open = await Promise.all(Array.from({ length: limit }, () => openConnection(origin)));
  for (const socket of open) expect(await isServed(socket)).toBe(true);
  for (let i = 0; i < 2; i += 1) expect(await isServed(await openConnection(origin))).toBe(false);
  for (const socket of open) expect(await isServed(socket)).toBe(true);

  open.pop()?.destroy();
  // The server learns of it a moment later.
  open.push(
    await until(async () => {
      const socket = await openConnection(origin);
      return (await isServed(socket)) && socket;
    }),
  );
  expect(await isServed(await openConnection(origin))).toBe(false);
  for (const socket of open) expect(await isServed(socket)).toBe(true);
  return open;
}

test.each(listeners)(
  'beyond MAX_CONNECTIONS the %s listener closes new connections, and serves the others',
  async (listener) => {
    await using service = await startService('postgres', {
      env: { MAX_CONNECTIONS: String(limit) },
    });
    const { origin, opsUrl } = service.server;
    const [limited, other] = listener === 'public' ? [origin, opsUrl] : [opsUrl, origin];
    const open = await expectLimited(limited);
    // Each listener has its own.
    const unaffected = await openConnection(other);
    expect(await isServed(unaffected)).toBe(true);
    for (const socket of [...open, unaffected]) socket.destroy();
  },
);

test('beyond MAX_CONNECTIONS_PER_NETWORK the public listener closes new connections, and the ops listener does not', async () => {
  await using service = await startService('postgres', {
    env: { MAX_CONNECTIONS_PER_NETWORK: String(limit) },
  });
  const open = await expectLimited(service.server.origin);
  for (let i = 0; i <= limit; i += 1) {
    const socket = await openConnection(service.server.opsUrl);
    expect(await isServed(socket)).toBe(true);
    open.push(socket);
  }
  for (const socket of open) socket.destroy();
});
