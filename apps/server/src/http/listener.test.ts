import type { Server } from 'node:http';
import { expect, test, vi } from 'vitest';
import { openListener } from './listener.ts';

test('a connection that cannot be accepted is reported, and the listener goes on', async () => {
  const report = vi.fn();
  let server: Server | undefined;
  const listener = await openListener(
    {
      host: '127.0.0.1',
      port: 0,
      headersTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
      stallTimeoutMs: 1_000,
      keepAliveTimeoutMs: 1_000,
      maxPipelinedRequests: 1,
      maxConnections: 10,
      report,
    },
    (_port, opened) => {
      server = opened;
      return (_req, res) => res.end('served');
    },
  );
  const failure = new Error('accept ENOBUFS');
  server?.emit('error', failure);
  expect(report).toHaveBeenCalledExactlyOnceWith(failure);
  expect(await (await fetch(listener.origin)).text()).toBe('served');
  await listener.close(0);
});
