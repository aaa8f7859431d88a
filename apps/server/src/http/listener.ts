import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@animal-store/runtime';
import type { Express } from 'express';
import { bindPort } from './bind-port.ts';
import { defaultListenerLimits, type ListenerLimits } from './http-settings.ts';
import { limitPipelining } from './limit-pipelining.ts';
import { isRepeated } from './repeated-header.ts';
import { shareTypes } from './share-types.ts';

/** An open port. */
export interface Listener {
  /** The address, in the form `http://host:port`. */
  readonly origin: string;
  /**
   * Makes every further response close its connection, so that callers reconnect to another
   * replica.
   */
  drain(): void;
  /**
   * Stops accepting connections, waits up to `graceMs` for requests in flight, and then closes all
   * connections.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * The most headers of a request. Clients and proxies send fewer, and Node answers requests with
 * more of them with 431. The 16 kB of all headers could hold thousands of empty ones.
 */
const maxHeaders = 100;

/**
 * Opens a listener and passes every request to an app, which is created when the port is known.
 *
 * Node itself handles invalid HTTP, CONNECT and unknown expectations with a minimal response or by
 * closing the connection. No quota protects these paths, so they run no code of this service.
 *
 * @throws {StartupError} if the port or the host is not available.
 */
export async function openListener(
  given: Partial<ListenerLimits> & {
    host: string;
    port: number;
    variables?: 'OPS_';
    /** Called when a connection cannot be accepted. An unhandled error would end the process. */
    report: (failure: unknown) => void;
  },
  /**
   * The app cannot be mounted in another Express app, because it shares its types with Node and
   * gets paths as targets.
   */
  createApp: (origin: string, server: Server) => Express,
): Promise<Listener> {
  const address = { ...defaultListenerLimits, ...given };
  const { headersTimeoutMs, requestTimeoutMs } = address;
  const limited = limitPipelining(address.maxPipelinedRequests);
  const server = createServer({
    // Node rejects a timeout of the headers that is longer than the timeout of the whole request.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: address.keepAliveTimeoutMs,
    connectionsCheckingInterval: address.connectionsCheckingIntervalMs,
    ...limited,
  });
  server.setTimeout(address.stallTimeoutMs, cutOff);
  server.maxConnections = address.maxConnections;
  server.maxHeadersCount = maxHeaders;
  const bound = await bindPort(server, address);
  server.on('error', (failure) => address.report(failure));
  const origin = `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${bound}`;
  const app = createApp(origin, server);
  shareTypes(app, limited);
  let isDraining = false;
  // RFC 9112, §9.6: after `Connection: close`, no further request of the connection may be
  // processed.
  const closing = new WeakSet<Socket>();
  server.on('request', (req, res) => {
    if (closing.has(req.socket)) return;
    // RFC 9112, §3.2: a repeated Host gets 400, like a missing one.
    const isAmbiguous = isRepeated(req, 'host') || isFramedWrongly(req);
    // Node drops the bytes after an upgrade request in the same segment, so this request must be
    // the last one.
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

  return {
    origin,
    drain() {
      isDraining = true;
    },
    async close(graceMs) {
      isDraining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const cut = systemClock.after(graceMs, () => server.closeAllConnections());
      await closed;
      systemClock.cancel(cut);
    },
  };
}

/**
 * Closes a connection that has been silent for too long. If the caller has not read the whole
 * response, the connection is reset. Otherwise the kernel would keep the unread bytes, perhaps
 * megabytes, and try to send them for minutes.
 */
function cutOff(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy();
  else socket.destroy();
}

/**
 * Tells whether a proxy may find another end of the request. HTTP before 1.1 has no
 * `Transfer-Encoding` (RFC 9112, §6.1), so an older proxy may have passed the header on without
 * understanding it.
 */
function isFramedWrongly({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion !== '1.1' && headers['transfer-encoding'] !== undefined;
}

// RFC 9112, §3.2.2: a server must accept the absolute form. Its host does not matter here.
const schemeAndAuthority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Reduces the target of a request to its path and query.
 *
 * Express parses any other target with `url.parse`, which throws for a malformed authority
 * (`http://[/`, `//a@[/#`). Express would then send an HTML page before any middleware runs.
 */
function originForm(target: string): string {
  if (target.startsWith('/') && !target.includes('#')) return target;
  const path = target.replace(schemeAndAuthority, '').replace(/#.*$/, '');
  return path.startsWith('/') ? path : `/${path}`;
}
