import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A function that responds to a request as a test needs it. The body of the request has already
 * been read.
 */
export type Script = (response: ServerResponse, request: IncomingMessage, body: string) => unknown;

/** Opens a real HTTP server on loopback. A script responds to its requests. */
export async function startScriptedServer(script: Script) {
  const server = createServer(async (request, response) => {
    script(response, request, await text(request));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
