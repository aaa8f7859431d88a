import { connect, type Socket } from 'node:net';

/**
 * Opens a TCP connection to a server. Errors are ignored, because the server may reset the
 * connection at any time.
 *
 * @param localAddress the address of the client, such as 127.0.0.2.
 */
export async function openConnection(origin: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port), localAddress });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', () => resolve());
  });
  return socket;
}

/** Waits until a connection is closed, by either side and in any way. */
export function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** Sends bytes and reads until the server closes the connection. */
export async function readUntilClosed(origin: string, bytes: string): Promise<string> {
  const socket = await openConnection(origin);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  const closed = closeOf(socket);
  socket.write(bytes, 'latin1');
  await closed;
  return received;
}

/** Returns the status of each response in the bytes that a server has sent. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
