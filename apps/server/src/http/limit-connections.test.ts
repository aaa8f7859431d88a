import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { limitConnections } from './limit-connections.ts';

// Over real sockets: test/wire/connection-limits.test.ts. What is one network: client-network.test.ts.

/** Connects from addresses to a server that has such a limit. */
function limit(options: { max: number; maxPerNetwork: number | undefined }) {
  const server = createServer();
  const onRefused = vi.fn();
  limitConnections(server, { ...options, onRefused });
  const connect = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      isOpen: true,
      destroy() {
        socket.isOpen = false;
        socket.emit('close');
      },
    });
    server.emit('connection', socket);
    return socket;
  };
  return { connect, onRefused };
}

test.each([
  ['a quarter of all connections by default', undefined, 2],
  ['all connections without a limit', 0, 8],
])('a network may have %s', (_, maxPerNetwork, admitted) => {
  const { connect, onRefused } = limit({ max: 8, maxPerNetwork });
  const sockets = Array.from({ length: 8 }, () => connect('192.0.2.1'));
  expect(sockets.filter(({ isOpen }) => isOpen)).toEqual(sockets.slice(0, admitted));
  const refusals = sockets.slice(admitted).map(() => ['MAX_CONNECTIONS_PER_NETWORK']);
  expect(onRefused.mock.calls).toEqual(refusals);
});

test('a place is free again after a connection has closed, and not after a refused one has', () => {
  const { connect } = limit({ max: 100, maxPerNetwork: 2 });
  const [first] = ['2001:db8::1', '2001:db8::2'].map(connect);
  const isOpen = () => connect('2001:db8::3').isOpen;
  expect([isOpen(), isOpen(), connect('2001:db8:1::').isOpen]).toEqual([false, false, true]);
  first?.destroy();
  expect([isOpen(), isOpen()]).toEqual([true, false]);
});
