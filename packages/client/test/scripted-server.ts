import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as the server got it. */
interface SeenRequest {
  /** Method and target, as on the request line. */
  line: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers a request in whatever way a test needs. */
export type Script = (response: ServerResponse, request: SeenRequest) => unknown;

/** A real HTTP server on loopback that answers by script and remembers what it was asked. */
export async function startScriptedServer(script: Script) {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const seen = { line: `${method} ${url}`, headers, body: await text(request) };
    requests.push(seen);
    script(response, seen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
