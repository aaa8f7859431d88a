import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../startup-error.ts';
import { originForm } from './origin-form.ts';

/** A port that serves. */
export interface Listener {
  /** Where it is, as `http://host:port`. */
  readonly origin: string;
  /** From now on every answer closes its connection, so that callers go elsewhere with the next. */
  drain(): void;
  /** Stops accepting, lets requests in flight finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** Against callers that open connections and say little (Slowloris), or never read their answers. */
export interface ListenerTimeouts {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Longer than proxies keep a connection, so that they close it first; commonly that is 60 s. */
  readonly keepAliveTimeoutMs: number;
}

/** How often the first two are looked after. */
const connectionsCheckingIntervalMs = 1_000;

/**
 * Listens, and hands every request to a handler that is made once the port is known.
 *
 * @param address.settings what the names of the settings that say where begin with.
 * @throws {StartupError} if the port or the host cannot be had.
 */
export async function openListener(
  address: { host: string; port: number; settings?: 'OPS_' } & ListenerTimeouts,
  createHandler: (port: number, server: Server) => RequestListener,
): Promise<Listener> {
  const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = address;
  const server = createServer({
    // Node refuses headers that may take longer than the whole.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: connectionsCheckingIntervalMs,
    // Node would answer a missing Host by itself, without a body; `requireHost` does it.
    requireHostHeader: false,
  });
  // Of silence in either direction: the others do not see a caller that stops reading.
  server.setTimeout(keepAliveTimeoutMs);
  await listen(server, address);
  const bound = (server.address() as AddressInfo).port;
  const handle = createHandler(bound, server);
  let isDraining = false;
  const handler: RequestListener = (req, res) => {
    if (isDraining) res.setHeader('Connection', 'close');
    req.url = originForm(req.url ?? '/');
    handle(req, res);
  };

  server.on('request', handler);
  // RFC 9110, §10.1.1: an expectation other than 100-continue may be ignored. Node would answer 417.
  server.on('checkExpectation', handler);
  // CONNECT is a method like any other that no path has; Node would hang up without a word.
  server.on('connect', (req) => {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(req.socket);
    // Not `end`: a caller that keeps its side open would keep a stop waiting.
    res.on('finish', () => req.socket.destroySoon());
    handler(req, res);
  });

  return {
    origin: `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${bound}`,
    drain() {
      isDraining = true;
    },
    async close(graceMs) {
      isDraining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

async function listen(
  server: Server,
  { host, port, settings = '' }: { host: string; port: number; settings?: string },
): Promise<void> {
  const portName = `${settings}PORT`;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    switch (code) {
      case 'EADDRINUSE':
        throw new StartupError(
          `${portName}: ${port} on ${host} is in use. Choose another ${portName}.`,
        );
      case 'EACCES':
        throw new StartupError(`${portName}: this user may not listen on ${port}.`);
      default:
        throw new StartupError(`${settings}HOST: cannot listen on ${host}: ${message}`);
    }
  }
}
