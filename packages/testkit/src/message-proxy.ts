import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { MessageSplitter, WireMessage, WireProtocol } from './protocol-messages.ts';
import { reset, urlVia } from './proxied-sockets.ts';

/** Where a connection is cut, seen from one message: none, half or all of its bytes get through. */
export const cutPlaces = ['before', 'within', 'after'] as const;

/**
 * How it is cut. `reset`: both ends get a reset. `end`: both ends see an orderly end. `half-close`: the
 * receiver of the message sees an orderly end, and the other direction stays open.
 */
export const cutKinds = ['reset', 'end', 'half-close'] as const;

export type Cut = {
  readonly place: (typeof cutPlaces)[number];
  readonly kind: (typeof cutKinds)[number];
};

/** A message on its way through the proxy. */
export type PassingMessage = WireMessage & {
  readonly direction: 'request' | 'response';
  /** Counts the connections of the proxy. */
  readonly connection: number;
};

export type MessageProxyOptions = {
  readonly target: { readonly host: string; readonly port: number };
  readonly protocol: WireProtocol;
  /**
   * Called with each message.
   *
   * @returns whether to cut the connection there, or what to wait for before the message goes on.
   */
  readonly onMessage: (message: PassingMessage) => Cut | Promise<unknown> | undefined;
};

export type MessageProxy = AsyncDisposable & {
  readonly host: string;
  readonly port: number;
  /** The same URL with the proxy's host and port. */
  via(url: string): string;
  /** Resets all connections. */
  reset(): void;
};

/** Opens a proxy on loopback that knows where messages begin, and can cut a connection there. */
export async function openMessageProxy(options: MessageProxyOptions): Promise<MessageProxy> {
  const { target, protocol, onMessage } = options;
  const sockets = new Set<Socket>();
  let connections = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ ...target, allowHalfOpen: true, noDelay: true });
    connections += 1;
    const pair = { connection: connections, sockets: [client, upstream] };
    forward(pair, { source: client, sink: upstream, direction: 'request' }, protocol.requests());
    forward(pair, { source: upstream, sink: client, direction: 'response' }, protocol.responses());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  type Pair = { readonly connection: number; readonly sockets: readonly Socket[] };
  type Direction = Pick<PassingMessage, 'direction'> & { source: Socket; sink: Socket };

  function forward(pair: Pair, { source, sink, direction }: Direction, split: MessageSplitter) {
    sockets.add(source);
    let isCut = false;
    // One after the other, because a message may be held back.
    let sending = Promise.resolve();
    const pass = async (message: WireMessage) => {
      if (isCut) return;
      const verdict = onMessage({ ...message, direction, connection: pair.connection });
      if (verdict === undefined || verdict instanceof Promise) {
        await verdict;
        sink.write(message.bytes);
        return;
      }
      isCut = true;
      await cut(pair, sink, message.bytes, verdict);
    };
    source.on('data', (chunk) => {
      for (const message of split(chunk)) sending = sending.then(() => pass(message));
    });
    source.on('end', () => {
      sending = sending.then(() => {
        sink.end();
      });
    });
    source.on('error', () => end(pair, 'reset'));
    source.on('close', () => sockets.delete(source));
  }

  async function cut(pair: Pair, sink: Socket, bytes: Buffer, { place, kind }: Cut) {
    const length = { before: 0, within: Math.ceil(bytes.length / 2), after: bytes.length }[place];
    // A reset takes back what the system has not sent yet.
    if (length > 0) await new Promise((done) => sink.write(bytes.subarray(0, length), done));
    if (kind === 'half-close') sink.end();
    else end(pair, kind);
  }

  function end(pair: Pair, kind: 'reset' | 'end') {
    for (const socket of pair.sockets) {
      if (kind === 'end') socket.end();
      else reset(socket);
    }
  }

  const host = '127.0.0.1';
  const { port } = server.address() as AddressInfo;
  return {
    host,
    port,
    via: (url) => urlVia(url, { host, port }),
    reset() {
      for (const socket of sockets) reset(socket);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
