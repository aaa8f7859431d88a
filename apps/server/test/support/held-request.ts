import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { until } from '@animal-store/testkit';
import type { AnyServer } from './local-server.ts';

/** The body of the creation, with an id that a JavaScript number cannot hold exactly. */
export const newPet = '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}';

/** Sends all of a creation but its body; it is in flight once the server says 100 Continue. */
export async function beginCreation({ baseUrl }: AnyServer, token: string) {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': newPet.length,
    Expect: '100-continue',
  };
  // Without an agent its connection ends with the answer. A stop waits for those that callers keep.
  const creation = request(`${baseUrl}/pets`, { method: 'POST', headers, agent: false });
  await once(creation, 'continue');
  // Of a disposal before the answer.
  creation.on('error', () => {});
  return {
    /** Sends the body and gives the status of the answer. */
    async finish(): Promise<number | undefined> {
      creation.end(newPet);
      const [response] = (await once(creation, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    },
    [Symbol.dispose]: () => creation.destroy(),
  };
}

/** Waits until the server refuses new connections. */
export const untilRefused = ({ origin }: AnyServer) =>
  until(async () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    const failure = await once(socket, 'connect').catch((error) => error);
    socket.destroy();
    return failure.code === 'ECONNREFUSED';
  });
