import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { systemClock } from '@animal-store/runtime';
import type { Express } from 'express';
import { bindPort } from './bind-port.ts';
import { closeInStages } from './close-in-stages.ts';
import { useExpressPrototypes } from './express-prototypes.ts';
import { defaultListenerLimits, type ListenerLimits } from './http-settings.ts';
import { limitPipelining, newestResponse } from './limit-pipelining.ts';
import { isRepeated } from './repeated-header.ts';

/** An HTTP server that is listening on a port. */
export interface Listener {
  /** The address of the server, in the form `http://host:port`. */
  readonly origin: string;
  /**
   * Makes every further response close its connection, so that callers connect to another replica.
   * The responses to requests in flight also close their connections.
   */
  drain(): void;
  /**
   * Stops accepting connections, waits up to `graceMs` for requests in flight, and then closes all
   * connections.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * The largest number of headers in a request. Node responds with 431 to a request with more
 * headers. Real clients and proxies send fewer. Without this limit, a request could have thousands
 * of empty headers within the 16 kB that Node allows for all headers.
 */
const maxHeaders = 100;

/**
 * The number of bytes of a body after which Node stops reading, until somebody reads the body. With
 * Node's default of 64 kB, a waiting request could keep 122 kB in memory. With this limit, a
 * waiting request can keep about 64 kB, because Node reads up to 64 kB at once.
 */
const maxUnreadBytes = 16 * 1024;

/**
 * Opens a listener and passes every request to an app. The app is created when the port is known.
 *
 * Node itself handles invalid HTTP, CONNECT and unknown `Expect` headers. It sends a minimal
 * response or closes the connection. No code of the service runs in these cases, and no quota
 * limits them, so they must cost as little as possible.
 *
 * @throws {StartupError} if the port or the host is not available.
 */
export async function openListener(
  options: Partial<ListenerLimits> & {
    host: string;
    port: number;
    variables?: 'OPS_';
    /**
     * A function that is called when the server cannot accept a connection. Without this function,
     * the error would be unhandled and end the process.
     */
    report: (failure: unknown) => void;
  },
  /**
   * A function that creates the app. The app must not be mounted in another Express app, because
   * the app relies on two things that only this listener provides. The requests and responses are
   * created with the prototypes of the app, and `req.url` contains no host.
   */
  createApp: (origin: string, server: Server) => Express,
): Promise<Listener> {
  const settings = { ...defaultListenerLimits, ...options };
  const { headersTimeoutMs, requestTimeoutMs } = settings;
  const limited = limitPipelining(settings.maxPipelinedRequests);
  const server = createServer({
    // Node rejects a timeout for the headers that is longer than the timeout for the whole request.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    connectionsCheckingInterval: settings.connectionsCheckingIntervalMs,
    highWaterMark: maxUnreadBytes,
    ...limited,
  });
  server.setTimeout(settings.stallTimeoutMs, closeSilentConnection);
  server.maxConnections = settings.maxConnections;
  server.maxHeadersCount = maxHeaders;
  const bound = await bindPort(server, settings);
  server.on('error', (failure) => settings.report(failure));
  const origin = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${bound}`;
  const app = createApp(origin, server);
  useExpressPrototypes(app, limited);
  let isDraining = false;
  // The connections whose last response has `Connection: close`. The server must not process
  // further requests on them (RFC 9112, §9.6).
  const closing = new WeakSet<Socket>();
  const open = new Set<Socket>();
  const markAsClosing = (socket: Socket) => void closing.add(socket);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    closeInStages(socket, markAsClosing);
  });

  function drain(): void {
    isDraining = true;
    for (const socket of open) {
      // Without this step, the response to a request in flight would keep its connection open. The
      // shutdown would then wait for an idle connection until `graceMs` has passed.
      const response = newestResponse(socket);
      if (response === undefined || response.headersSent) continue;
      closing.add(socket);
      response.setHeader('Connection', 'close');
    }
  }

  server.on('request', (req, res) => {
    if (closing.has(req.socket)) return;
    // A request with two Host headers gets 400, like a request without a Host header (RFC 9112,
    // §3.2).
    const isAmbiguous = isRepeated(req, 'host') || isFramedWrongly(req);
    // An upgrade request must be the last one of its connection, because Node drops the bytes that
    // follow in the same segment.
    if (isAmbiguous || isDraining || req.headers.upgrade !== undefined) {
      closing.add(req.socket);
      res.setHeader('Connection', 'close');
    }
    if (isAmbiguous) {
      res.writeHead(400).end();
      return;
    }
    req.url = originForm(req.url ?? '/');
    app(req, res);
  });

  /**
   * Accepts the connections that wait in the queue of the kernel, for at most `firstRequestMs`. The
   * kernel resets the connections that are still in its queue when the port is closed.
   *
   * libuv accepts one connection in each iteration of the event loop. During a shutdown, each
   * request needs a new connection, so under load some connections always wait.
   */
  async function acceptQueued(): Promise<void> {
    const endsAt = systemClock.elapsed() + settings.firstRequestMs;
    let isEmpty = false;
    server.on('connection', () => {
      isEmpty = false;
    });
    while (!isEmpty && systemClock.elapsed() < endsAt) {
      isEmpty = true;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Waits until each open connection has received data, but at most `firstRequestMs`. Its first
   * request may already be on the way.
   */
  async function untilAllAreUsed(): Promise<void> {
    const unused = new Set([...open].filter(({ bytesRead }) => bytesRead === 0));
    if (unused.size === 0) return;
    const done = Promise.withResolvers<void>();
    function markAsUsed(socket: Socket): void {
      unused.delete(socket);
      if (unused.size === 0) done.resolve();
    }
    for (const socket of unused) socket.once('close', () => markAsUsed(socket));
    server.on('request', ({ socket }) => markAsUsed(socket));
    const timer = systemClock.after(settings.firstRequestMs, done.resolve);
    await done.promise;
    systemClock.cancel(timer);
  }

  return {
    origin,
    drain,
    async close(graceMs) {
      drain();
      const cut = systemClock.after(graceMs, () => server.closeAllConnections());
      // The server first stops accepting connections, without closing any. `server.close()` also
      // closes connections that were just opened, although their first request may be on the way.
      // The request would be lost, and a proxy must not send a POST twice.
      await acceptQueued();
      NetServer.prototype.close.call(server);
      await untilAllAreUsed();
      // A response whose headers were sent before the shutdown has not announced that its connection
      // closes, so its connection is idle after the response.
      for (const socket of open) {
        newestResponse(socket)?.once('close', () => server.closeIdleConnections());
      }
      await new Promise((resolve) => server.close(resolve));
      systemClock.cancel(cut);
    },
  };
}

/**
 * Replaces a wildcard address in the URL of a listener by localhost, because browsers refuse to open
 * a wildcard address.
 */
export function toLinkUrl(url: string): string {
  return url.replace(/(?<=\/\/)(0\.0\.0\.0|\[::\])/, 'localhost');
}

/**
 * Closes a connection that has been silent for too long. If the caller has not read the whole
 * response, the connection is reset. Without a reset, the kernel would keep the unread bytes,
 * perhaps megabytes, and try to send them for minutes.
 */
function closeSilentConnection(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy();
  else if (!getsTimeoutResponse(socket)) socket.destroy();
}

/**
 * Tells whether the app responds with 408 to the request of a silent connection. Node has just
 * emitted `timeout` on the request, because the body is incomplete. `json-body.ts` listens to this
 * event while it waits for the body. The 408 closes the connection.
 */
function getsTimeoutResponse(socket: Socket): boolean {
  const response = newestResponse(socket);
  if (response === undefined || response.headersSent) return false;
  return !response.req.complete && response.req.listenerCount('timeout') > 0;
}

/**
 * Tells whether a proxy could disagree with this server about the body of the request. HTTP/1.0 does
 * not define `Transfer-Encoding` (RFC 9112, §6.1), so an old proxy may have forwarded the header
 * without understanding it. Node removes only the coding `chunked`. With another coding, such as
 * `gzip, chunked`, the body would arrive without being decoded.
 */
function isFramedWrongly({ httpVersion, headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding'];
  return codings !== undefined && (httpVersion !== '1.1' || codings.toLowerCase() !== 'chunked');
}

// Matches the scheme and host of a request target in absolute form, which a server must accept (RFC
// 9112, §3.2.2). The host is ignored.
const schemeAndAuthority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Reduces the target of a request to its path and query.
 *
 * Express parses all other targets with `url.parse`, which throws for a malformed host (`http://[/`
 * or `//a@[/#`). Express would then send an HTML page before any middleware runs.
 */
function originForm(target: string): string {
  if (target.startsWith('/') && !target.includes('#')) return target;
  const path = target.replace(schemeAndAuthority, '').replace(/#.*$/, '');
  return path.startsWith('/') ? path : `/${path}`;
}
