import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** Opens a server on loopback that does with each connection as it is told. Errors of connections are expected. */
export async function openRawServer(
  behave: (socket: Socket) => void = () => {},
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    behave(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
