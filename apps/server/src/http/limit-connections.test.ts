import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { limitConnections } from './limit-connections.ts';

// Over real sockets: test/wire/connection-limits.test.ts. There all connections have one address.
class FakeSocket extends EventEmitter {
  isOpen = true;
  readonly remoteAddress: string;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

let server: Server;

function connect(address: string): FakeSocket {
  const socket = new FakeSocket(address);
  server.emit('connection', socket);
  return socket;
}

test.each([
  ['a quarter of all connections by default', undefined, 3],
  ['all connections without a limit', 0, 12],
])('a network may have %s', (_, maxPerNetwork, admitted) => {
  server = createServer();
  const onRefused = vi.fn();
  limitConnections(server, { max: 12, maxPerNetwork, onRefused });
  const sockets = Array.from({ length: 12 }, () => connect('192.0.2.1'));
  expect(sockets.map(({ isOpen }) => isOpen)).toEqual(sockets.map((_, i) => i < admitted));
  const refusals = Array.from({ length: 12 - admitted }, () => ['MAX_CONNECTIONS_PER_NETWORK']);
  expect(onRefused.mock.calls).toEqual(refusals);
});

describe('with two connections for each network', () => {
  beforeEach(() => {
    server = createServer();
    limitConnections(server, { max: 100, maxPerNetwork: 2, onRefused() {} });
  });

  test('the third connection of an address is closed, and no other', () => {
    const sockets = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'].map(connect);
    expect(sockets.map(({ isOpen }) => isOpen)).toEqual([true, true, false, true]);
  });

  test('the addresses of one IPv6 /56 share the limit', () => {
    const sockets = [
      '2001:db8:1:2300::1',
      '2001:db8:1:23ff::2',
      '2001:db8:1:2342::3',
      '2001:db8:1:2400::1',
    ].map(connect);
    expect(sockets.map(({ isOpen }) => isOpen)).toEqual([true, true, false, true]);
  });

  test('an IPv4 address and its IPv6 notation share the limit', () => {
    const sockets = ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201'].map(connect);
    expect(sockets.map(({ isOpen }) => isOpen)).toEqual([true, true, false]);
  });

  test('a place is free again after a connection has closed, and not after a refused one has', () => {
    const [first] = ['192.0.2.1', '192.0.2.1'].map(connect);
    expect(connect('192.0.2.1').isOpen).toBe(false);
    expect(connect('192.0.2.1').isOpen).toBe(false);
    first?.destroy();
    expect(connect('192.0.2.1').isOpen).toBe(true);
    expect(connect('192.0.2.1').isOpen).toBe(false);
  });
});
