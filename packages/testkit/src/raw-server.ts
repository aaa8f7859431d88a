import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/**
 * Opens a TCP server on loopback that calls a function for each connection. Errors of connections
 * are ignored, because tests cause them. The disposal closes all remaining connections.
 */
export async function openRawServer(onConnection: (socket: Socket) => void = () => {}) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
