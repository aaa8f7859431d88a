import { closeOf, openConnection } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { startService } from '../support/test-service.ts';

// Regression: a single host could use all connections of the public port.
test('by default, one network may open a quarter of all connections to the public port, but any number to the ops listener', async () => {
  await using service = await startService('postgres', { http: { maxConnections: 8 } });
  await using open = new AsyncDisposableStack();
  /** Opens connections and returns the number of connections that get a response. */
  async function countServed(origin: string, count: number, localAddress?: string) {
    let isServed = 0;
    for (let i = 0; i < count; i += 1) {
      const socket = await openConnection(origin, localAddress);
      open.defer(() => void socket.destroy());
      const response = new Promise((resolve) => socket.once('data', resolve));
      socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const bytes = await Promise.race([response, closeOf(socket)]);
      if (String(bytes).startsWith('HTTP/1.1 404 ')) isServed += 1;
    }
    return isServed;
  }
  const { origin, opsUrl } = service.server;
  expect(await countServed(origin, 4)).toBe(2);
  expect(await countServed(origin, 1, '127.0.0.2')).toBe(1);
  expect(await countServed(opsUrl, 10)).toBe(8);
});
