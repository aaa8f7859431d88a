import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@animal-store/testkit';
import type { AnyServer } from './local-server.ts';

/** The body of the creation, with an id that a JavaScript number cannot hold exactly. */
export const newPet = '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}';

type Client = Disposable & { socket: Socket; received(): string };

/** A connection that stays open until the server, or the end of the test, closes it. */
export async function openConnection({ origin }: AnyServer): Promise<Client> {
  const { hostname: host, port } = new URL(origin);
  let received = '';
  // Half-open: it does not close its side because the server does.
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {}).setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'connect');
  return { socket, received: () => received, [Symbol.dispose]: () => socket.destroy() };
}

/** Sends all of a creation but its body; it is in flight once the server says 100 Continue. */
export async function beginCreation(server: AnyServer, token: string) {
  const client = await openConnection(server);
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
  client.socket.write(
    [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${newPet.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  );
  await until(() => client.received() === interim);
  return {
    /** Sends the body and returns the answer as text. */
    async finish(): Promise<string> {
      client.socket.write(newPet);
      return await until(
        () => client.socket.readableEnded && client.received().slice(interim.length),
      );
    },
    [Symbol.dispose]: () => client.socket.destroy(),
  };
}

/** Waits until the server refuses new connections. */
export function untilRefused({ origin }: AnyServer): Promise<unknown> {
  const { hostname: host, port } = new URL(origin);
  return until(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port: Number(port) });
        socket.once('connect', () => {
          socket.destroy();
          resolve(false);
        });
        socket.once('error', (error: NodeJS.ErrnoException) =>
          resolve(error.code === 'ECONNREFUSED'),
        );
      }),
  );
}
