import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { closeOf, openConnection, readUntilClosed, statusesIn, until } from '@animal-store/testkit';
import express, { type Express, type Response } from 'express';
import { expect, test, vi } from 'vitest';
import { bindPort } from './bind-port.ts';
import type { ListenerLimits } from './http-settings.ts';
import { openListener } from './listener.ts';

/** Opens a listener for an app with the given limits. */
async function listen(
  app: Express,
  limits: Partial<ListenerLimits> = {},
  onServer: (server: Server) => unknown = () => {},
) {
  const report = vi.fn();
  const address = {
    host: '127.0.0.1',
    port: 0,
    connectionsCheckingIntervalMs: 10,
    headersTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    stallTimeoutMs: 60_000,
    keepAliveTimeoutMs: 60_000,
    maxPipelinedRequests: 5,
    maxConnections: 10,
    ...limits,
    report,
  };
  const listener = await openListener(address, (_origin, server) => {
    onServer(server);
    return app;
  });
  return { ...listener, report, [Symbol.asyncDispose]: () => listener.close(0) };
}

const served = () => express().use((_req, res) => res.end('served'));

test('the HTTP listener reports an error that occurs while it accepts a connection, and continues to serve requests', async () => {
  const servers: Server[] = [];
  await using listener = await listen(served(), {}, (server) => servers.push(server));
  const failure = new Error('accept ENOBUFS');
  servers[0]?.emit('error', failure);
  expect(listener.report).toHaveBeenCalledExactlyOnceWith(failure);
  expect(await (await fetch(listener.origin)).text()).toBe('served');
});

test.each([
  ['EACCES', 'OPS_PORT: this user has no permission to listen on 80. Choose another OPS_PORT.'],
  ['EADDRINUSE', 'OPS_PORT: 80 on 127.0.0.1 is in use. Choose another OPS_PORT.'],
  [
    'EADDRNOTAVAIL',
    'OPS_HOST: cannot listen on 127.0.0.1: of the system. Choose an address of this machine.',
  ],
])('bindPort turns the system error %s into the start error "%s"', async (code, message) => {
  const server = createServer();
  vi.spyOn(server, 'listen').mockImplementation(() => {
    server.emit('error', Object.assign(new Error('of the system'), { code }));
    return server;
  });
  const binding = bindPort(server, { host: '127.0.0.1', port: 80, variables: 'OPS_' });
  await expect(binding).rejects.toThrow(message);
});

// If the prototypes differ, Express replaces the prototypes of every request and response, and this
// is slow.
test('the HTTP listener creates requests and responses with the prototypes of the Express app', async () => {
  const app = served();
  const seen: unknown[] = [];
  await using listener = await listen(app, {}, (server) => {
    server.prependListener('request', (...both) => seen.push(...both.map(Object.getPrototypeOf)));
  });
  await fetch(listener.origin);
  expect(seen[0]).toBe(app.request);
  expect(seen[1]).toBe(app.response);
});

test('the HTTP listener closes each connection after its response while the service shuts down', async () => {
  await using listener = await listen(served());
  expect((await fetch(listener.origin)).headers.get('Connection')).toBe('keep-alive');
  listener.drain();
  expect((await fetch(listener.origin)).headers.get('Connection')).toBe('close');
});

// Regression: the response had `Connection: keep-alive`. The client kept its connection open, and the
// shutdown waited for it until all connections were cut.
test('the HTTP listener closes the connection of a request that was in flight when the shutdown began', async () => {
  const held = Promise.withResolvers<Response>();
  const app = express().use((_req, res) => held.resolve(res));
  await using listener = await listen(app);
  const received = readUntilClosed(listener.origin, request());
  const response = await held.promise;
  const closed = listener.close(60_000);
  response.end('served');
  expect(await received).toMatch(/^Connection: close\r$/m);
  await closed;
});

test('the HTTP listener closes the connection of a response whose headers were sent before the shutdown began', async () => {
  const held = Promise.withResolvers<Response>();
  const app = express().use((_req, res) => {
    res.write('served');
    held.resolve(res);
  });
  const servers: Server[] = [];
  await using listener = await listen(app, {}, (server) => servers.push(server));
  const socket = await openConnection(listener.origin);
  socket.resume().write(request());
  const response = await held.promise;
  // The time is longer than the timeout of a test, because the listener cuts all connections after it.
  const closed = listener.close(3_600_000);
  await until(() => servers[0]?.listening === false);
  response.end();
  await closeOf(socket);
  await closed;
});

// Otherwise a caller that sends its next request at this moment would lose the request.
test('the HTTP listener responds to a further request on a connection whose response began before the listener drains', async () => {
  const held: Response[] = [];
  const app = express().use((_req, res) => {
    res.write('served');
    held.push(res);
  });
  await using listener = await listen(app);
  const socket = await openConnection(listener.origin);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.write(request());
  await until(() => held.length === 1);
  listener.drain();
  held[0]?.end();
  await until(() => received.endsWith('0\r\n\r\n'));
  socket.write(request());
  await until(() => held.length === 2);
  held[1]?.end();
  await closeOf(socket);
  expect(statusesIn(received)).toEqual([200, 200]);
  expect(received).toMatch(/^Connection: close\r$/m);
});

// Regression: the server closed a connection that was just opened, and the first request on it was
// lost. Behind nginx, POST requests failed with 502 while replicas restarted.
test('the HTTP listener responds to the first request of a connection that was opened just before the listener closed', async () => {
  const accepted = vi.fn();
  await using listener = await listen(served(), { firstRequestMs: 60_000 }, (server) =>
    server.on('connection', accepted),
  );
  const [used, unused] = [
    await openConnection(listener.origin),
    await openConnection(listener.origin),
  ];
  await until(() => accepted.mock.calls.length === 2);
  const closed = listener.close(60_000);
  expect((await openConnection(listener.origin)).destroyed).toBe(true);
  let received = '';
  used.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  used.write(request());
  await closeOf(used);
  expect(statusesIn(received)).toEqual([200]);
  expect(received).toMatch(/^Connection: close\r$/m);
  unused.destroy();
  await closed;
});

// Regression: the kernel reset the connections that the server had not accepted yet.
test('the HTTP listener responds to requests on connections that wait to be accepted when the shutdown begins', async () => {
  await using listener = await listen(served(), { firstRequestMs: 60_000 });
  const received = Array.from({ length: 8 }, () => readUntilClosed(listener.origin, request()));
  // The sockets connect in the next tick. libuv accepts one connection in each later iteration of
  // the event loop.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const closed = listener.close(60_000);
  expect((await Promise.all(received)).map(statusesIn)).toEqual(Array(8).fill([200]));
  await closed;
});

test('the HTTP listener closes a connection without a request a short time after the shutdown began', async () => {
  await using listener = await listen(served(), { firstRequestMs: 0 });
  const socket = await openConnection(listener.origin);
  const closed = closeOf(socket);
  await listener.close(60_000);
  await closed;
});

test('the HTTP listener responds to all pipelined requests that were in flight when the shutdown began', async () => {
  const held: Response[] = [];
  const app = express().use((_req, res) => void held.push(res));
  await using listener = await listen(app);
  const received = readUntilClosed(listener.origin, request().repeat(3));
  await until(() => held.length === 3);
  listener.drain();
  for (const response of held) response.end('served');
  expect(statusesIn(await received)).toEqual([200, 200, 200]);
});

const request = (headers = 'Host: a\r\n', version = 'HTTP/1.1') =>
  `GET / ${version}\r\nConnection: keep-alive\r\n${headers}\r\n`;
const chunked = 'Host: a\r\nTransfer-Encoding: chunked\r\n';

// A proxy and the server may find different requests in the same bytes (request smuggling). In the
// case of an upgrade, Node drops the remaining bytes of the segment. If the connection stayed open,
// the client would take the next response for the response to a dropped request.
test.each([
  ['two Host headers', 400, request('Host: a\r\nhOST: a\r\n')],
  ['two Host headers with others between', 400, request('Host: a\r\nAccept: */*\r\nHost: b\r\n')],
  ['HTTP/1.0 with Transfer-Encoding', 400, `${request(chunked, 'HTTP/1.0')}0\r\n\r\n`],
  ['an upgrade', 200, request('Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n')],
])(
  'the HTTP listener responds to %s with status %d and ignores all later bytes on the connection',
  async (_title, status, bytes) => {
    const serve = vi.fn((_req, res) => res.end());
    await using listener = await listen(express().use(serve));
    const received = await readUntilClosed(listener.origin, bytes + request());
    expect(statusesIn(received)).toEqual([status]);
    expect(received).toMatch(/^Connection: close\r$/m);
    expect(serve).toHaveBeenCalledTimes(status === 400 ? 0 : 1);
  },
);

test('the HTTP listener responds to pipelined requests up to a limit, and then closes the connection', async () => {
  await using listener = await listen(served());
  await readUntilClosed(listener.origin, request().repeat(6));
  const last = request('Host: a\r\nConnection: close\r\n');
  const received = await readUntilClosed(listener.origin, request().repeat(4) + last);
  expect(statusesIn(received)).toEqual([200, 200, 200, 200, 200]);
});

// Regression: a waiting request whose body nobody had read kept 11 MB of chunks in memory.
test('the HTTP listener joins small chunks of a request body while the app does not read the body', async () => {
  const waiting = Promise.withResolvers<IncomingMessage>();
  const app = express().post('/', (req) => waiting.resolve(req));
  await using listener = await listen(app);
  const text = Array.from({ length: 9_000 }, (_, n) => String.fromCharCode(97 + (n % 26))).join('');
  const chunks = [...text.slice(0, 8_000), text.slice(8_000, 8_500), ...text.slice(8_500)];
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  const socket = await openConnection(listener.origin);
  socket.write(`POST / HTTP/1.1\r\n${chunked}\r\n${body}0\r\n\r\n`);
  const req = await waiting.promise;
  await until(() => req.complete);
  const read: Buffer[] = [];
  await once(
    req.on('data', (chunk) => void read.push(chunk)),
    'end',
  );
  expect(read.map(({ length }) => length)).toEqual([1, 4_096, 3_903, 500, 500]);
  expect(Buffer.concat(read).toString()).toBe(text);
  socket.destroy();
});

// Regression: the process ended when a client reset a connection after CONNECT. The campaign (long
// test) `wire` tests more sequences of this kind.
test('the HTTP listener closes a connection after CONNECT, and survives a reset of that connection by the client', async () => {
  await using listener = await listen(served());
  const connect = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
  for (let i = 0; i < 10; i += 1) {
    await readUntilClosed(listener.origin, request() + connect);
    const reset = await openConnection(listener.origin);
    const closed = closeOf(reset);
    reset.write(connect, () => reset.resetAndDestroy());
    await closed;
  }
  expect(await (await fetch(listener.origin)).text()).toBe('served');
});

// The campaign (long test) `attacks` opens a thousand connections that send their headers byte by
// byte.
test("the HTTP listener responds with 408 and disconnects when a client does not finish the request's headers", async () => {
  await using listener = await listen(served(), { headersTimeoutMs: 50 });
  const received = await readUntilClosed(listener.origin, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  expect(received).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
});

/**
 * Sends the headers of a request, but not its body. The app responds with `Connection: close`. The
 * client keeps its side of the connection open. Returns when the server has ended its own side.
 */
async function endBeforeBody(limits: Partial<ListenerLimits> = {}, bodyBytes = 2) {
  const requests: IncomingMessage[] = [];
  const app = express().use((req, res) => {
    requests.push(req);
    res.set('Connection', 'close').end('refused');
  });
  const accepted = Promise.withResolvers<Socket>();
  const listener = await listen(app, limits, (server) => server.on('connection', accepted.resolve));
  const { port } = new URL(listener.origin);
  const client = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  client.on('error', () => {});
  client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyBytes}\r\n\r\n`);
  let received = '';
  client.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  await once(client, 'end');
  expect(received).toMatch(/\r\nConnection: close\r\n.*\r\n\r\nrefused$/s);
  const connection = await accepted.promise;
  return {
    client,
    requests,
    closed: closeOf(connection),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await listener.close(0);
    },
  };
}

// Regression: the server closed the connection while the client was still sending. The client got a
// connection reset instead of the response.
test('the HTTP listener receives the rest of a body after a response with Connection: close, and ignores a further request', async () => {
  await using exchange = await endBeforeBody();
  exchange.client.write(`{}${request()}`);
  await exchange.closed;
  expect(exchange.requests.map(({ complete }) => complete)).toEqual([true]);
});

test('the HTTP listener closes a connection whose client sends no more of the body after a response with Connection: close', async () => {
  await using exchange = await endBeforeBody({ stallTimeoutMs: 50 });
  await exchange.closed;
  expect(exchange.requests.map(({ complete }) => complete)).toEqual([false]);
});

// The timeout of a silent connection does not end this exchange, because bytes keep arriving.
test('the HTTP listener closes a connection whose client sends the body for longer than the request timeout after a response with Connection: close', async () => {
  await using exchange = await endBeforeBody({ requestTimeoutMs: 50 }, 1_000_000_000);
  let isClosed = false;
  exchange.closed.then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    exchange.client.write('x');
    await nextIteration();
  }
  expect(exchange.requests.map(({ complete }) => complete)).toEqual([false]);
});

// Regression: the server closed the connection without a reset. The kernel then kept the unread
// response in memory for minutes.
test('the HTTP listener resets the connection when a client does not read its response', async () => {
  const cut = Promise.withResolvers<void>();
  const app = express().use((_req, res) => {
    // The response is larger than the socket buffers of client and server together, so a part of it
    // stays unsent.
    res.once('close', cut.resolve).end(Buffer.alloc(16_000_000));
  });
  await using listener = await listen(app, { stallTimeoutMs: 50 });
  const socket = await openConnection(listener.origin);
  const errors: (string | undefined)[] = [];
  socket.on('error', ({ code }: NodeJS.ErrnoException) => errors.push(code));
  const closed = closeOf(socket);
  socket.pause().write(request());
  await cut.promise;
  socket.resume();
  await closed;
  expect(errors).toEqual(['ECONNRESET']);
});
