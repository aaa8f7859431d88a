import { createServer, type Server } from 'node:http';
import express, { type Express } from 'express';
import { expect, test, vi } from 'vitest';
import { readUntilClosed, statusesIn } from '../../test/wire/connection.ts';
import { bindPort } from './bind-port.ts';
import { openListener } from './listener.ts';

/** Has an app listen. */
async function listen(app: Express, onServer: (server: Server) => void = () => {}) {
  const report = vi.fn();
  const address = {
    host: '127.0.0.1',
    port: 0,
    connectionsCheckingIntervalMs: 1_000,
    headersTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    stallTimeoutMs: 60_000,
    keepAliveTimeoutMs: 60_000,
    maxPipelinedRequests: 8,
    maxConnections: 10,
    report,
  };
  const listener = await openListener(address, (_origin, server) => {
    onServer(server);
    return { app };
  });
  return { ...listener, report, [Symbol.asyncDispose]: () => listener.close(0) };
}

test('a connection that cannot be accepted is reported, and the listener goes on', async () => {
  let server: Server | undefined;
  const app = express().use((_req, res) => res.end('served'));
  await using listener = await listen(app, (opened) => {
    server = opened;
  });
  const failure = new Error('accept ENOBUFS');
  server?.emit('error', failure);
  expect(listener.report).toHaveBeenCalledExactlyOnceWith(failure);
  expect(await (await fetch(listener.origin)).text()).toBe('served');
});

test('a port that only root may listen on is named', async () => {
  const server = createServer();
  vi.spyOn(server, 'listen').mockImplementation(() => {
    server.emit('error', Object.assign(new Error('listen EACCES'), { code: 'EACCES' }));
    return server;
  });
  await expect(bindPort(server, { host: '127.0.0.1', port: 80 })).rejects.toThrow(
    'PORT: this user may not listen on 80.',
  );
});

// Otherwise Express replaces the prototypes of every request and response, which is slow.
test('requests and responses have the prototypes of the app before Express sees them', async () => {
  const app = express().use((_req, res) => res.json('served'));
  const seen: unknown[] = [];
  await using listener = await listen(app, (server) => {
    server.prependListener('request', (...both) => seen.push(...both.map(Object.getPrototypeOf)));
  });
  expect(await (await fetch(listener.origin)).json()).toBe('served');
  expect(seen[0]).toBe(app.request);
  expect(seen[1]).toBe(app.response);
});

test('while a listener drains, each response closes its connection', async () => {
  await using listener = await listen(express().use((_req, res) => res.end('served')));
  expect((await fetch(listener.origin)).headers.get('Connection')).toBe('keep-alive');
  listener.drain();
  expect((await fetch(listener.origin)).headers.get('Connection')).toBe('close');
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
  await using listener = await listen(express().use(serve));
  const received = await readUntilClosed(listener.origin, bytes + request('Host: a\r\n'));
  expect(statusesIn(received)).toEqual([400]);
  expect(received).toMatch(/^Connection: close\r$/m);
  expect(serve).not.toHaveBeenCalled();
});
