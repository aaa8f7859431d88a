import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.ts';
import type { WireMessage, WireProtocol } from './protocol-messages.ts';

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
export type PassingMessage = WireMessage & { readonly direction: 'request' | 'response' };

export type TcpProxyOptions = {
  target: { host: string; port: number };
  /** Where messages begin and end. @default whatever comes together is a message without a type */
  protocol?: WireProtocol;
  /**
   * Called with each message.
   *
   * @returns whether to cut the connection there, or what to wait for before the message goes on.
   */
  onMessage?: (message: PassingMessage) => Cut | Promise<unknown> | undefined;
};

/** A TCP proxy on loopback that can be a bad network. */
export type TcpProxy = AsyncDisposable & {
  host: string;
  port: number;
  /** The same URL with the proxy's host and port, as `proxy.via(redis.url)`. */
  via(url: string): string;
  /** Holds everything back that long in each direction; what is under way keeps its time. */
  delay(delayMs: number): void;
  /** Resets all connections. */
  reset(): void;
  /** The same, and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections and bytes, and swallows them. */
  blackhole(): void;
  /**
   * Ends `cut`, `blackhole` and `delay`. Connections that have lost bytes, or never reached the
   * target, are reset: no protocol survives a hole.
   */
  resume(): Promise<void>;
};

type Link = { sockets: Socket[]; lines: DelayLine[]; broken: boolean };

/** Opens a proxy that forwards to `target` until it is told to do worse. */
export async function openTcpProxy(options: TcpProxyOptions): Promise<TcpProxy> {
  const { target, protocol, onMessage } = options;
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
    forward(link, { source: client, sink: upstream, direction: 'request' });
    forward(link, { source: upstream, sink: client, direction: 'response' });
  });

  type Way = Pick<PassingMessage, 'direction'> & { source: Socket; sink: Socket };

  function forward(link: Link, { source, sink, direction }: Way) {
    const line = delayLine();
    link.lines.push(line);
    const split = protocol?.[`${direction}s`]() ?? ((bytes: Buffer) => [{ type: '', bytes }]);
    let isCut = false;
    const isClosed = () => {
      if (swallowing) link.broken = true;
      return link.broken || isCut;
    };
    const pass = (message: WireMessage) => {
      if (isClosed()) return;
      const verdict = onMessage?.({ ...message, direction });
      if (verdict === undefined || verdict instanceof Promise) {
        line.push(() => sink.write(message.bytes), delayMs, verdict);
      } else {
        isCut = true;
        line.push(() => void cutAt(link, sink, message.bytes, verdict), delayMs);
      }
    };
    source.on('data', (chunk: Buffer) => split(chunk).forEach(pass));
    source.on('end', () => isClosed() || line.push(() => sink.end(), delayMs));
    source.on('error', () => reset(link));
    source.on('close', () => {
      if (link.sockets.every((socket) => socket.destroyed)) links.delete(link);
    });
  }

  async function cutAt(link: Link, sink: Socket, bytes: Buffer, { place, kind }: Cut) {
    const length = { before: 0, within: Math.ceil(bytes.length / 2), after: bytes.length }[place];
    // A reset takes back what the system has not sent yet.
    if (length > 0) await new Promise((done) => sink.write(bytes.subarray(0, length), done));
    if (kind === 'reset') reset(link);
    else for (const socket of kind === 'end' ? link.sockets : [sink]) socket.end();
  }

  // At once, whatever is delayed: the system drops what it has buffered, too.
  function reset(link: Link) {
    links.delete(link);
    for (const line of link.lines) line.close();
    for (const socket of link.sockets) {
      // Node would wait for the connection before it resets it, and a frozen target never connects.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
    }
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
    via(url) {
      const through = new URL(url);
      through.host = `${host}:${port}`;
      return through.href;
    },
    delay(ms) {
      delayMs = ms;
    },
    reset: () => links.forEach(reset),
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
    [Symbol.asyncDispose]: cut,
  };
}

type DelayLine = ReturnType<typeof delayLine>;

/**
 * What is done after a delay, but never before what came earlier. Each has its own due time, so a delay adds
 * latency without reducing the bandwidth.
 */
function delayLine() {
  const queue: { act: () => void; dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush() {
    clearTimeout(timer);
    while (queue[0] && queue[0].dueAt <= performance.now()) queue.shift()?.act();
    const { dueAt = Number.POSITIVE_INFINITY } = queue[0] ?? {};
    if (Number.isFinite(dueAt)) timer = setTimeout(flush, dueAt - performance.now());
  }

  return {
    /** @param held what it waits for besides. */
    push(act: () => void, delayMs: number, held?: Promise<unknown>) {
      const dueAt = performance.now() + delayMs;
      const waiting = { act, dueAt: held ? Number.POSITIVE_INFINITY : dueAt };
      queue.push(waiting);
      void held?.then(() => {
        waiting.dueAt = dueAt;
        flush();
      });
      if (queue[0] === waiting) flush();
    },
    /** Drops what has not been done. */
    close() {
      clearTimeout(timer);
      queue.length = 0;
    },
  };
}
