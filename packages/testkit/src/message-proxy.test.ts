import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cut, type MessageProxyOptions, openMessageProxy } from './message-proxy.ts';
import type { WireProtocol } from './protocol-messages.ts';
import { until } from './until.ts';

/** Messages of four bytes. */
const fours: WireProtocol = { requests: () => splitFours(), responses: () => splitFours() };

function splitFours() {
  let waiting = Buffer.alloc(0);
  return (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    const messages = [];
    while (waiting.length >= 4) {
      messages.push({ type: waiting.toString('latin1', 0, 1), bytes: waiting.subarray(0, 4) });
      waiting = waiting.subarray(4);
    }
    return messages;
  };
}

const stack = { current: new AsyncDisposableStack() };
beforeEach(() => {
  stack.current = new AsyncDisposableStack();
});
afterEach(() => stack.current.disposeAsync());

/** An echo server behind a proxy, and a client that records what happens to it. */
async function connectThrough(onMessage: MessageProxyOptions['onMessage']) {
  const received: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', (data) => received.push(String(data)));
    socket.on('end', () => received.push('end')).on('error', () => received.push('error'));
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await openMessageProxy({
    target: { host: '127.0.0.1', port },
    protocol: fours,
    onMessage,
  });
  const client: Socket = connect({ host: proxy.host, port: proxy.port, allowHalfOpen: true });
  const events: string[] = [];
  client.on('data', (data) => events.push(String(data)));
  client.on('end', () => events.push('end'));
  client.on('error', ({ code }: NodeJS.ErrnoException) => events.push(code ?? 'error'));
  stack.current.use(proxy);
  stack.current.defer(() => {
    client.destroy();
    server.close();
  });
  await once(client, 'connect');
  return { client, events, received };
}

test('messages pass in both directions, whatever their packets', async () => {
  const types: string[] = [];
  const { client, events } = await connectThrough(({ type, direction }) => {
    types.push(`${direction} ${type}`);
    return undefined;
  });
  client.write('a1');
  client.write('23b123c');
  await until(() => events.join('') === 'a123b123');
  expect(types).toEqual(['request a', 'request b', 'response a', 'response b']);
});

test.each<[Cut['place'], string]>([
  ['before', 'a123'],
  ['within', 'a123b1'],
  ['after', 'a123b123'],
])('an answer that is cut %s a message ends there', async (place, there) => {
  const { client, events } = await connectThrough(({ type, direction }) =>
    direction === 'response' && type === 'b' ? { place, kind: 'end' } : undefined,
  );
  client.write('a123b123c123');
  await until(() => events.includes('end'));
  expect(events.join('')).toBe(`${there}end`);
});

test('a reset is an error at both ends', async () => {
  const { client, events } = await connectThrough(() => ({ place: 'before', kind: 'reset' }));
  client.write('a123');
  await until(() => events.length > 0);
  expect(events).toEqual(['ECONNRESET']);
});

test('a half-closed connection ends for the receiver only', async () => {
  const { client, events, received } = await connectThrough(({ type, direction }) =>
    direction === 'request' && type === 'b' ? { place: 'after', kind: 'half-close' } : undefined,
  );
  client.write('a123b123c123');
  await until(() => events.includes('end'));
  expect(received.join('')).toBe('a123b123end');
  expect(events.join('')).toBe('a123b123end');
});
