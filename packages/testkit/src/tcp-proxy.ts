import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type DelayLine, delayLine } from './delay-line.ts';
import { freePort } from './free-port.ts';
import { reset as resetSocket, urlVia } from './proxied-sockets.ts';

export type TcpProxyOptions = {
  target: { host: string; port: number };
};

/** A TCP proxy on loopback that can be a bad network. */
export type TcpProxy = AsyncDisposable & {
  host: string;
  port: number;
  /** The same URL with the proxy's host and port, as `proxy.via(redis.url)`. */
  via(url: string): string;
  /** Holds everything back that long in each direction; what is under way keeps its time. */
  delay(delayMs: number): void;
  /** Resets all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections and bytes, and swallows them. */
  blackhole(): void;
  /**
   * Ends `cut`, `blackhole` and `delay`. Connections that have lost bytes, or never reached the
   * target, are reset: no protocol survives a hole.
   */
  resume(): Promise<void>;
  close(): Promise<void>;
};

type Link = { sockets: Socket[]; lines: DelayLine[]; broken: boolean };

/** Opens a proxy that forwards to `target` until it is told to do worse. */
export async function openTcpProxy({ target }: TcpProxyOptions): Promise<TcpProxy> {
  const links = new Set<Link>();
  let delayMs = 0;
  let swallowing = false;

  // Half-open connections stay so: an end is forwarded like a byte.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const link: Link = { sockets: [client], lines: [], broken: swallowing };
    links.add(link);
    if (swallowing) {
      client.resume();
      client.on('error', () => reset(link)).on('close', () => reset(link));
      return;
    }
    const upstream = connect({ ...target, allowHalfOpen: true, noDelay: true });
    link.sockets.push(upstream);
    forward(link, client, upstream);
    forward(link, upstream, client);
  });

  function forward(link: Link, source: Socket, sink: Socket) {
    const line = delayLine(sink);
    link.lines.push(line);
    const pass = (chunk: Buffer | null) => {
      if (swallowing) link.broken = true;
      if (!link.broken) line.push(chunk, delayMs);
    };
    source.on('data', pass).on('end', () => pass(null));
    source.on('error', () => reset(link));
    source.on('close', () => {
      if (link.sockets.every((socket) => socket.destroyed)) links.delete(link);
    });
  }

  // At once, whatever is delayed: the system drops what it has buffered, too.
  function reset(link: Link) {
    links.delete(link);
    for (const line of link.lines) line.close();
    for (const socket of link.sockets) resetSocket(socket);
  }

  async function listen() {
    server.listen(port, host);
    await once(server, 'listening');
  }

  async function cut() {
    for (const link of links) reset(link);
    if (!server.listening) return;
    server.close();
    // One that was accepted meanwhile is not in the list above.
    for (const link of links) reset(link);
    await once(server, 'close');
  }

  const host = '127.0.0.1';
  // Not one that another connection could get between `cut` and `resume`.
  const port = await freePort();
  await listen();
  return {
    host,
    port,
    via: (url) => urlVia(url, { host, port }),
    delay(ms) {
      delayMs = ms;
    },
    cut,
    blackhole() {
      swallowing = true;
    },
    async resume() {
      swallowing = false;
      delayMs = 0;
      for (const link of links) if (link.broken) reset(link);
      if (!server.listening) await listen();
    },
    close: cut,
    [Symbol.asyncDispose]: cut,
  };
}
