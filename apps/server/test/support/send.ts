import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseJson } from '@animal-store/contract';
import { hangMs } from '@animal-store/testkit';

export type SentRequest = {
  readonly method: string;
  /** The path and the query exactly as they are sent, without the base URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON body with exact integers; `undefined` if the body is not JSON. */
  readonly body: unknown;
};

const sharedConnections = new Agent({ keepAlive: true });

/**
 * Sends a request exactly as given, and reads the whole response. `fetch` is not suitable, because
 * it would correct the request and refuse some methods. It also needs much CPU time. Tests with
 * thousands of requests would mainly measure `fetch`.
 */
export async function send(
  baseUrl: string,
  { method, target, headers, body }: SentRequest,
  agent: Agent = sharedConnections,
): Promise<Answer> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/$/, '') + target;
  const length = body !== undefined && { 'Content-Length': Buffer.byteLength(body) };
  const all = { ...length, ...headers };
  const outgoing = request({ agent, hostname, port, path, method, headers: all });
  outgoing.setTimeout(hangMs, () =>
    outgoing.destroy(new Error(`The request got no response within ${hangMs} ms.`)),
  );
  // Errors of writing are ignored, because the server may respond and close the connection before
  // it has read the whole request.
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return createAnswer(incoming.statusCode ?? 0, incoming.rawHeaders, await text(incoming));
}

/**
 * Creates the response object from its parts.
 *
 * @param rawHeaders the header names and values: each name is followed by its value.
 */
export function createAnswer(status: number, rawHeaders: readonly string[], text: string): Answer {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  }
  return {
    status,
    headers,
    text,
    get body() {
      const isJson = headers.get('Content-Type')?.startsWith('application/json') ?? false;
      return isJson && text !== '' ? parseJson(text) : undefined;
    },
  };
}
