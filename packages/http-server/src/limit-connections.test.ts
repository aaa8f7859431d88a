import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { limitConnections } from './limit-connections.ts';

// `test/wire/connection-limits.test.ts` tests the limits over real sockets.
// `client-network.test.ts` tests which addresses belong to one network.

/**
 * Creates a server with a limit for each network, and returns a function that opens a connection
 * from an address.
 */
function limit(maxPerNetwork: number) {
  const server = createServer();
  const onRefused = vi.fn();
  limitConnections(server, { max: 100, maxPerNetwork, onRefused });
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

test('limitConnections lets a network open any number of connections when no limit is set', () => {
  const { connect } = limit(0);
  const sockets = Array.from({ length: 100 }, () => connect('192.0.2.1'));
  expect(sockets.filter(({ isOpen }) => !isOpen)).toEqual([]);
});

test('limitConnections counts a connection against its network until the connection closes, but never counts a refused connection', () => {
  const { connect, onRefused } = limit(2);
  const [first] = ['2001:db8::1', '2001:db8::2'].map(connect);
  const isOpen = () => connect('2001:db8::3').isOpen;
  expect([isOpen(), isOpen(), connect('2001:db8:1::').isOpen]).toEqual([false, false, true]);
  first?.destroy();
  expect([isOpen(), isOpen()]).toEqual([true, false]);
  expect(onRefused.mock.calls).toEqual(Array(3).fill(['MAX_CONNECTIONS_PER_NETWORK']));
});
