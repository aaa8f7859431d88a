import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@animal-store/testkit';
import type { AnyServer } from './local-server.ts';
import { type Answer, createAnswer } from './send.ts';

/**
 * The body of a request that creates an animal. A JavaScript number cannot represent the id of the
 * category exactly.
 */
export const newPet = '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}';

/**
 * Sends the headers of a request without its body. The request is in flight as soon as the server
 * has sent 100 Continue.
 */
export async function holdBody(
  url: string,
  { method = 'POST', token, json }: { method?: string; token: string; json: string },
) {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(json),
    Expect: '100-continue',
  };
  // The request uses no agent, so that its connection closes after the response. If the client kept
  // the connection open, a shutdown would wait for it.
  const held = request(url, { method, headers, agent: false });
  await once(held, 'continue');
  // Disposing the request before the response causes an error, which is expected.
  held.on('error', () => {});
  return {
    /** Sends the body and returns the response. */
    async finish(): Promise<Answer> {
      held.end(json);
      const [response] = (await once(held, 'response')) as [IncomingMessage];
      return createAnswer(response.statusCode ?? 0, response.rawHeaders, await text(response));
    },
    [Symbol.dispose]: () => held.destroy(),
  };
}

/** Sends the headers of a request that creates an animal, without its body. */
export async function beginCreation({ baseUrl }: AnyServer, token: string) {
  const held = await holdBody(`${baseUrl}/pets`, { token, json: newPet });
  return {
    /** Sends the body and returns the status of the response. */
    finish: async (): Promise<number> => (await held.finish()).status,
    [Symbol.dispose]: () => held[Symbol.dispose](),
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
