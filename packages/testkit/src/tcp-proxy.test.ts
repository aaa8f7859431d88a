import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

const received: string[] = [];
const echo = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('data', (data) => received.push(String(data))).on('error', () => {});
  socket.pipe(socket);
});
let target: { host: string; port: number };

beforeAll(async () => {
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  target = { host: '127.0.0.1', port: (echo.address() as AddressInfo).port };
});
afterAll(() => echo.close());

/** A connected client that records all that happens to it. */
async function client(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const events: string[] = [];
  socket.on('data', (data) => events.push(String(data)));
  socket.on('error', (error: NodeJS.ErrnoException) => events.push(error.code ?? ''));
  await once(socket, 'connect');
  return { socket, events, [Symbol.dispose]: () => void socket.destroy() };
}

async function roundTrip(socket: Socket, message: string) {
  socket.write(message);
  const [reply] = await once(socket, 'data');
  expect(String(reply)).toBe(message);
}

async function works(proxy: TcpProxy) {
  using fresh = await client(proxy.port);
  await roundTrip(fresh.socket, 'works');
}

test('bytes and the end of either side pass through', async () => {
  await using proxy = await openTcpProxy({ target });
  const socket = connect({ port: proxy.port, host: proxy.host, allowHalfOpen: true });
  const message = 'all of this '.repeat(100_000);
  socket.end(message);
  expect(await text(socket)).toBe(message);
});

test('a URL leads through the proxy and keeps everything else', async () => {
  await using proxy = await openTcpProxy({ target });
  expect(proxy.via('postgres://user:secret@127.0.0.1:5432/pets?ssl=0')).toBe(
    `postgres://user:secret@127.0.0.1:${proxy.port}/pets?ssl=0`,
  );
});

test('a delay holds bytes back, and only in this proxy', async () => {
  await using slow = await openTcpProxy({ target });
  await using fast = await openTcpProxy({ target });
  using late = await client(slow.port);
  using soon = await client(fast.port);

  slow.delay(3_600_000);
  late.socket.write('held back');
  for (let round = 0; round < 5; round++) await roundTrip(soon.socket, 'meanwhile');

  expect(late.events).toEqual([]);
  expect(received.join()).not.toContain('held back');
});

test('after a short delay the bytes arrive', async () => {
  await using proxy = await openTcpProxy({ target });
  using late = await client(proxy.port);
  proxy.delay(5);
  await roundTrip(late.socket, 'late but whole');
});

test('a cut resets connections and refuses new ones until it is resumed', async () => {
  await using proxy = await openTcpProxy({ target });
  using victim = await client(proxy.port);
  await roundTrip(victim.socket, 'before');

  await proxy.cut();
  await until(() => victim.events.includes('ECONNRESET'));
  await expect(client(proxy.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  await proxy.resume();
  await works(proxy);
});

test('a black hole accepts connections and drops bytes, and resuming resets these connections', async () => {
  await using proxy = await openTcpProxy({ target });
  using old = await client(proxy.port);
  using idle = await client(proxy.port);
  await roundTrip(old.socket, 'before');
  await roundTrip(idle.socket, 'before');

  proxy.blackhole();
  old.socket.write('swallowed-old');
  using young = await client(proxy.port);
  young.socket.write('swallowed-young');
  // Time enough to arrive, measured by what is not swallowed.
  await using other = await openTcpProxy({ target });
  await works(other);
  expect(old.events).toEqual(['before']);
  expect(young.events).toEqual([]);

  await proxy.resume();
  await until(() => old.events.includes('ECONNRESET') && young.events.includes('ECONNRESET'));
  await roundTrip(idle.socket, 'nothing lost');
  await works(proxy);
  expect(received.join()).not.toContain('swallowed');
});

test('a target that refuses connections is seen as a reset', async () => {
  await using gone = await openTcpProxy({ target });
  await gone.cut();
  await using proxy = await openTcpProxy({ target: { host: gone.host, port: gone.port } });
  using victim = await client(proxy.port);
  await until(() => victim.events.includes('ECONNRESET'));
});

test('closing twice is harmless', async () => {
  const proxy = await openTcpProxy({ target });
  await proxy.close();
  await proxy.close();
  await expect(client(proxy.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
