import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { limitConnections } from './limit-connections.ts';

// Over real sockets: test/wire/connection-limits.test.ts. What is one network: client-network.test.ts.

test('a place is free again after a connection has closed, and not after a refused one has', () => {
  const server = createServer();
  const onRefused = vi.fn();
  limitConnections(server, { max: 100, maxPerNetwork: 2, onRefused });
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
  const [first] = ['2001:db8::1', '2001:db8::2'].map(connect);
  const isOpen = () => connect('2001:db8::3').isOpen;
  expect([isOpen(), isOpen(), connect('2001:db8:1::').isOpen]).toEqual([false, false, true]);
  first?.destroy();
  expect([isOpen(), isOpen()]).toEqual([true, false]);
  expect(onRefused.mock.calls).toEqual(Array(3).fill(['MAX_CONNECTIONS_PER_NETWORK']));
});
