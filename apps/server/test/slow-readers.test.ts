import { once } from 'node:events';
import { connect } from 'node:net';
import { startServer } from '@animal-store/testkit';
import { expect, test } from 'vitest';

test('a caller that never reads its answer is cut off after the keep-alive timeout', async () => {
  await using server = await startServer({ env: { KEEP_ALIVE_TIMEOUT_MS: '500' } });
  const page = await (await fetch(`${server.origin}/docs`)).text();
  const [, script = ''] = /"(\/docs\/scalar[^"]*)"/.exec(page) ?? [];
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  // Megabytes, more than the buffers between us hold; and nobody takes them.
  socket.write(`GET ${script} HTTP/1.1\r\nHost: x\r\n\r\n`);
  socket.pause();
  const closed = once(socket, 'close');
  const log = () => server.output().includes('"aborted":true');
  await expect.poll(log, { timeout: 20_000 }).toBe(true);
  socket.resume();
  await closed;
});
