import type { Server } from 'node:http';
import express from 'express';
import { expect, test, vi } from 'vitest';
import { openListener } from './listener.ts';

const limits = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  stallTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  maxPipelinedRequests: 1,
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
