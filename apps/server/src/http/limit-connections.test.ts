import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
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

describe('with two connections for each network', () => {
  let server: Server;
  beforeEach(() => {
    server = createServer();
    limitConnections(server, { max: 100, maxPerNetwork: 2, onRefused() {} });
  });

  function connect(address: string): FakeSocket {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  }

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
