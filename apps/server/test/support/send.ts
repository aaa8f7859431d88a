import { Agent, request } from 'node:http';
import { parseJson } from '@animal-store/contract';
import { hangMs } from '@animal-store/testkit';

export type SentRequest = {
  readonly method: string;
  /** Path and query as they go over the wire, without the base address. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, with exact integers; `undefined` if it is not JSON. */
  readonly body: unknown;
};

const sharedConnections = new Agent({ keepAlive: true });

/**
 * Sends a request exactly as given, and reads its answer to the end. `fetch` would correct the request,
 * refuses some methods, and costs so much that thousands of requests would measure the test.
 */
export function send(
  baseUrl: string,
  { method, target, headers, body }: SentRequest,
  agent: Agent = sharedConnections,
): Promise<Answer> {
  const { hostname, port, pathname } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      agent,
      hostname,
      port,
      path: pathname.replace(/\/$/, '') + target,
      method,
      headers: {
        ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
        ...headers,
      },
    });
    outgoing.setTimeout(hangMs, () => outgoing.destroy(new Error('There was no answer.')));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve(createAnswer(incoming.statusCode ?? 0, incoming.rawHeaders, text));
      });
    });
    outgoing.end(body);
  });
}

/** @param rawHeaders names and values in turn. */
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
