import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.ts';
import type { WireMessage, WireProtocol } from './protocol-messages.ts';

/**
 * Where a connection is cut, relative to one message: no byte, half of the bytes, or all bytes of
 * the message are forwarded.
 */
export const cutPlaces = ['before', 'within', 'after'] as const;

/**
 * How a connection is cut:
 * - `reset`: both ends get a reset
 * - `end`: both ends see an orderly end
 * - `half-close`: the receiver of the message sees an orderly end, and the other direction stays
 *   open
 */
export const cutKinds = ['reset', 'end', 'half-close'] as const;

export type Cut = {
  readonly place: (typeof cutPlaces)[number];
  readonly kind: (typeof cutKinds)[number];
};

/** A message that passes the proxy, and its direction. */
type PassingMessage = WireMessage & { readonly direction: 'request' | 'response' };

export type TcpProxy = Awaited<ReturnType<typeof openTcpProxy>>;

type Link = { readonly sockets: readonly Socket[]; isReset: boolean };

/** Opens a TCP proxy on loopback. It forwards connections to `target`, and can disturb them. */
export async function openTcpProxy(options: {
  /** The URL of the server behind the proxy. */
  target: string;
  /**
   * The protocol, which splits the bytes into messages.
   * @default each chunk of bytes is one message without a type
   */
  protocol?: WireProtocol;
  /**
   * Called for each message.
   *
   * @returns a cut, to cut the connection at this message; a promise, to delay the message until it
   *   settles; or `undefined`, to forward the message.
   */
  onMessage?: (message: PassingMessage) => Cut | Promise<unknown> | undefined;
}) {
  const { target, protocol, onMessage } = options;
  const { hostname, port: targetPort } = new URL(target);
  const targetAddress = { host: hostname, port: Number(targetPort) };
  const links = new Set<Link>();

  // With half-open sockets, one side of a connection can close its half. The proxy then closes only
  // the same half on the other side.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ ...targetAddress, allowHalfOpen: true, noDelay: true });
    const link: Link = { sockets: [client, upstream], isReset: false };
    links.add(link);
    forward(link, { source: client, sink: upstream, direction: 'request' });
    forward(link, { source: upstream, sink: client, direction: 'response' });
  });

  type ForwardOptions = Pick<PassingMessage, 'direction'> & { source: Socket; sink: Socket };

  function forward(link: Link, { source, sink, direction }: ForwardOptions) {
    const split = protocol?.[`${direction}s`]() ?? ((bytes: Buffer) => [{ type: '', bytes }]);
    let isCut = false;
    let earlier: Promise<unknown> = Promise.resolve();
    /** Runs an action when all earlier actions of the same direction have ended. */
    function push(act: () => unknown, held?: Promise<unknown>) {
      if (isCut) return;
      earlier = earlier.then(() => held).then(() => link.isReset || act());
    }
    const pass = (message: WireMessage) => {
      if (isCut || link.isReset) return;
      const decision = onMessage?.({ ...message, direction });
      if (decision === undefined || decision instanceof Promise) {
        push(() => sink.write(message.bytes), decision);
      } else {
        push(() => cutAt(link, sink, message.bytes, decision));
        isCut = true;
      }
    };
    source.on('data', (chunk: Buffer) => split(chunk).forEach(pass));
    source.on('end', () => push(() => sink.end()));
    source.on('error', () => reset(link));
    source.on('close', () => {
      if (link.sockets.every((socket) => socket.destroyed)) links.delete(link);
    });
  }

  async function cutAt(link: Link, sink: Socket, bytes: Buffer, { place, kind }: Cut) {
    const length = { before: 0, within: Math.ceil(bytes.length / 2), after: bytes.length }[place];
    // A reset would discard bytes that the system has not sent yet, so the write must complete
    // first.
    if (length > 0) await new Promise((done) => sink.write(bytes.subarray(0, length), done));
    if (kind === 'reset') reset(link);
    else for (const socket of kind === 'end' ? link.sockets : [sink]) socket.end();
  }

  function reset(link: Link) {
    links.delete(link);
    link.isReset = true;
    for (const socket of link.sockets) {
      // `resetAndDestroy` does not work in two cases. While a socket connects, Node would reset it
      // only after it is connected, and a frozen target never accepts the connection. After `end`,
      // the reset fails while the end is being sent, and Node keeps the socket. After such a failed
      // reset, a process used a whole CPU core forever.
      if (socket.connecting || socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  async function listen() {
    server.listen(port, host);
    await once(server, 'listening');
  }

  /** Resets all connections, and refuses new ones. */
  async function cut() {
    for (const link of links) reset(link);
    if (!server.listening) return;
    server.close();
    // The proxy may have accepted further connections before it closed the server, so all
    // connections are reset again.
    for (const link of links) reset(link);
    await once(server, 'close');
  }

  const host = '127.0.0.1';
  // `freePort` reserves the port for this process. So no other test takes the port between `cut`
  // and `resume`, while nothing listens on it.
  const port = await freePort();
  await listen();
  const through = new URL(target);
  through.host = `${host}:${port}`;
  return {
    /** The URL of the target, with the host and port of the proxy. */
    url: through.href,
    /** Resets all connections. New connections are still accepted. */
    reset: () => links.forEach(reset),
    cut,
    /** Accepts connections again after `cut`. */
    async resume() {
      if (!server.listening) await listen();
    },
    [Symbol.asyncDispose]: cut,
  };
}
