import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@animal-store/runtime';
import type { Express, Request, Response } from 'express';
import { bindPort } from './bind-port.ts';
import { defaultListenerLimits, type ListenerLimits } from './http-settings.ts';
import { limitPipelining } from './limit-pipelining.ts';
import { isRepeated } from './repeated-header.ts';
import { shareTypes } from './share-types.ts';

/** An open port. */
export interface Listener {
  /** Its address, as `http://host:port`. */
  readonly origin: string;
  /** From now on every response closes its connection, so that callers reconnect elsewhere. */
  drain(): void;
  /** Stops accepting, gives requests in flight `graceMs` to finish, then cuts them off. */
  close(graceMs: number): Promise<void>;
}

/**
 * What answers the requests of a listener. It cannot be mounted in another app of Express: the listener shares its
 * types with Node, and gives it targets that are paths.
 */
export interface ServedApp {
  /** The app whose requests and responses it wants. */
  readonly types: Pick<Express, 'request' | 'response'>;
  /** Answers a request, perhaps later. */
  readonly handle: (req: Request, res: Response) => void;
}

/** Serves an app as it is. */
export const serveApp = (app: Express): ServedApp => ({ types: app, handle: app });

/**
 * More than clients and proxies send; beyond it Node answers 431. The 16 kB of all headers could hold
 * thousands of empty ones.
 */
const maxHeaders = 100;

/**
 * Listens, and passes every request to an app that is created once the port is known.
 *
 * Invalid HTTP, CONNECT and unknown expectations are left to Node, which sends a minimal response or
 * closes the connection. No code of ours runs there, because no quota protects it.
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
  createApp: (origin: string, server: Server) => ServedApp,
): Promise<Listener> {
  const address = { ...defaultListenerLimits, ...given };
  const { headersTimeoutMs, requestTimeoutMs } = address;
  const limited = limitPipelining(address.maxPipelinedRequests);
  const server = createServer({
    // Node rejects a time-out of the headers that is longer than that of the whole request.
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
  const { types, handle } = createApp(origin, server);
  shareTypes(types, limited);
  let isDraining = false;
  // RFC 9112, §9.6: after `Connection: close`, no further request of a connection may be processed.
  const closing = new WeakSet<Socket>();
  server.on('request', (req, res) => {
    if (closing.has(req.socket)) return;
    // RFC 9112, §3.2: 400 as for no Host.
    const isAmbiguous = isRepeated(req, 'host') || isFramedWrongly(req);
    // Node drops what follows an upgrade request in the same segment, so it must be the last one.
    if (isAmbiguous || isDraining || req.headers.upgrade !== undefined) {
      closing.add(req.socket);
      res.setHeader('Connection', 'close');
    }
    if (isAmbiguous) {
      res.writeHead(400).end();
      return;
    }
    req.url = originForm(req.url ?? '/');
    // Types of the app, which `shareTypes` shares.
    handle(req as Request, res as Response);
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
 * Closes a connection that has been silent for too long. If its caller has not read the response, by a
 * reset: otherwise the kernel would keep what is unread, megabytes perhaps, and try to send it for minutes.
 */
function cutOff(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy();
  else socket.destroy();
}

/**
 * Whether a proxy may see another end of the request. RFC 9112, §6.1: versions before 1.1 have no
 * `Transfer-Encoding`, so its sender may not know that it sends one.
 */
function isFramedWrongly({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion !== '1.1' && headers['transfer-encoding'] !== undefined;
}

// RFC 9112, §3.2.2: a server must accept the absolute form. Its host does not matter here.
const schemeAndAuthority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Reduces the target of a request to its path and query.
 *
 * Express parses any other target by `url.parse`. That throws for a malformed authority (`http://[/`,
 * `//a@[/#`), and Express would send an HTML page before any middleware has run.
 */
function originForm(target: string): string {
  if (target.startsWith('/') && !target.includes('#')) return target;
  const path = target.replace(schemeAndAuthority, '').replace(/#.*$/, '');
  return path.startsWith('/') ? path : `/${path}`;
}
