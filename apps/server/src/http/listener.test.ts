import type { Server } from 'node:http';
import express from 'express';
import { expect, test, vi } from 'vitest';
import { readUntilClosed, statusesIn } from '../../test/wire/connection.ts';
import { openListener } from './listener.ts';

const limits = {
  connectionsCheckingIntervalMs: 1_000,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  stallTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  maxPipelinedRequests: 8,
  maxConnections: 10,
};

test('a connection that cannot be accepted is reported, and the listener goes on', async () => {
  const report = vi.fn();
  let server: Server | undefined;
  const listener = await openListener(
    { host: '127.0.0.1', port: 0, ...limits, report },
    (_port, opened) => {
      server = opened;
      return express().use((_req, res) => res.end('served'));
    },
  );
  const failure = new Error('accept ENOBUFS');
  server?.emit('error', failure);
  expect(report).toHaveBeenCalledExactlyOnceWith(failure);
  expect(await (await fetch(listener.origin)).text()).toBe('served');
  await listener.close(0);
});

// Otherwise Express replaces the prototypes of every request and response, which is slow.
test('requests and responses have the prototypes of the app before Express sees them', async () => {
  const app = express().use((_req, res) => res.json('served'));
  const seen: unknown[] = [];
  const listener = await openListener(
    { host: '127.0.0.1', port: 0, ...limits, report: vi.fn() },
    (_port, server) => {
      server.prependListener('request', (req, res) => {
        seen.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
      });
      return app;
    },
  );
  expect(await (await fetch(listener.origin)).json()).toBe('served');
  expect(seen[0]).toBe(app.request);
  expect(seen[1]).toBe(app.response);
  await listener.close(0);
});

const request = (headers: string, version = 'HTTP/1.1') =>
  `GET / ${version}\r\nConnection: keep-alive\r\n${headers}\r\n`;
const chunked = 'Host: a\r\nTransfer-Encoding: chunked\r\n';

// A proxy may see other requests in the same bytes.
test.each([
  ['two Host headers', request('Host: a\r\nhOST: a\r\n')],
  ['two Host headers with others between', request('Host: a\r\nAccept: */*\r\nHost: b\r\n')],
  ['HTTP/1.0 with Transfer-Encoding', `${request(chunked, 'HTTP/1.0')}0\r\n\r\n`],
  ['HTTP/0.9 with Transfer-Encoding', `${request(chunked, 'HTTP/0.9')}0\r\n\r\n`],
])('%s get 400, and nothing that follows is processed', async (_title, bytes) => {
  const serve = vi.fn();
  const listener = await openListener(
    { host: '127.0.0.1', port: 0, ...limits, report: vi.fn() },
    () => express().use(serve),
  );
  const received = await readUntilClosed(listener.origin, bytes + request('Host: a\r\n'));
  expect(statusesIn(received)).toEqual([400]);
  expect(received).toMatch(/^Connection: close\r$/m);
  expect(serve).not.toHaveBeenCalled();
  await listener.close(0);
});
