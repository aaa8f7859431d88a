import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Responds to a request, whose body has been read, in the way that a test needs. */
export type Script = (response: ServerResponse, request: IncomingMessage, body: string) => unknown;

/** Opens a real HTTP server on loopback that responds by a script. */
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
