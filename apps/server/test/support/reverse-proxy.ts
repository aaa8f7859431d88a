import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Server, until } from '@animal-store/testkit';

/** A reverse proxy before several servers. */
export type LoadBalancer = AsyncDisposable & {
  /** As `http://127.0.0.1:34567`. */
  readonly origin: string;
  /** Learns of a server, and waits until it is ready and gets requests. */
  add(server: Server): Promise<void>;
  /** Waits until it has seen that a server stops. From then on that server gets no request. */
  untilAvoided(server: Server): Promise<unknown>;
  /** How many requests a server has been sent. */
  sentTo(server: Server): number;
};

type Upstream = {
  readonly server: Server;
  readonly agent: Agent;
  isReady: boolean;
  isStopping: boolean;
  sent: number;
};

/** How often each server is asked whether it is ready. */
const probeEveryMs = 50;

/** Between two connections, these are about the one and not the other (RFC 9110, §7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Opens a reverse proxy as nginx and HAProxy are: it keeps connections to its servers and uses them
 * again, asks `/readyz` of each, and sends requests in turn to those that were ready and do not stop.
 *
 * It never sends a request twice. Real ones may do so where it is safe, mostly with what is no POST;
 * what must not be needed is not there. A request that fails is answered 502.
 */
export async function openLoadBalancer(): Promise<LoadBalancer> {
  const upstreams: Upstream[] = [];
  let turn = 0;
  let isClosed = false;

  function pick(): Upstream | undefined {
    const ready = upstreams.filter(({ isReady }) => isReady);
    turn += 1;
    return ready[turn % ready.length];
  }

  function forward(req: IncomingMessage, res: ServerResponse): void {
    const upstream = pick();
    if (upstream === undefined) {
      res.writeHead(502).end('No server is ready.');
      return;
    }
    upstream.sent += 1;
    const { server, agent } = upstream;
    const passed = request(server.origin + req.url, {
      agent,
      method: req.method,
      headers: endToEnd(req.headers),
    });
    passed.on('error', (error) => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end(String(error));
    });
    passed.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.on('error', () => res.destroy());
      answer.pipe(res);
    });
    req.pipe(passed);
  }

  /** One question after the other, so that no late answer passes for the newest. */
  async function keepProbing(upstream: Upstream): Promise<void> {
    while (!isClosed) {
      try {
        const answer = await fetch(`${upstream.server.opsUrl}/readyz`);
        const { reasons } = (await answer.json()) as { reasons: readonly string[] };
        upstream.isStopping = reasons.includes('This replica is stopping.');
        // One bad answer does not count, as on a busy machine, where the database is slow to answer.
        upstream.isReady = answer.status === 200 || (upstream.isReady && !upstream.isStopping);
      } catch {
        upstream.isReady = false;
      }
      await pause(probeEveryMs);
    }
  }

  const find = (server: Server) => upstreams.find((upstream) => upstream.server === server);

  // Longer than a caller is silent: it is not to find its connection closed.
  const proxy = createServer({ keepAliveTimeout: 60_000 }, forward).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async add(server) {
      const agent = new Agent({ keepAlive: true });
      const upstream = { server, agent, isReady: false, isStopping: false, sent: 0 };
      upstreams.push(upstream);
      keepProbing(upstream);
      await until(() => upstream.isReady);
    },
    untilAvoided: (server) => until(() => find(server)?.isStopping),
    sentTo: (server) => find(server)?.sent ?? 0,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const { agent } of upstreams) agent.destroy();
      proxy.closeAllConnections();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));
}
