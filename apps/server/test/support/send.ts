import { Agent, type IncomingHttpHeaders, request } from 'node:http';

const fewConnections = new Agent({ keepAlive: true, maxSockets: 4 });

export type SentRequest = {
  readonly method: string;
  /** Path and query as they go over the wire, without the base address. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
};

export type ReceivedAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Sends a request as it stands. `fetch` would correct it, and refuses some methods. */
export function send(
  baseUrl: string,
  sent: SentRequest,
  agent: Agent = fewConnections,
): Promise<ReceivedAnswer> {
  const { hostname, port, pathname } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length =
      sent.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(sent.body) };
    const outgoing = request({
      agent,
      hostname,
      port,
      path: pathname.replace(/\/$/, '') + sent.target,
      method: sent.method,
      headers: { ...length, ...sent.headers },
    });
    outgoing.setTimeout(30_000, () => outgoing.destroy(new Error('There was no answer in 30 s.')));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
      );
    });
    outgoing.end(sent.body);
  });
}
