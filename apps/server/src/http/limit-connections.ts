import type { Server } from 'node:http';
import { networkOf } from './client-network.ts';

/** Closes new connections of a network that has `max` open connections. */
export function limitConnectionsPerNetwork(server: Server, max: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const network = networkOf(undefined, socket);
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
    if (count > max) socket.destroy();
  });
}
