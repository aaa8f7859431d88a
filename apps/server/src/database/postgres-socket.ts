import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** What postgres.js tells when it asks for a socket. */
export interface SocketOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket, instead of host and port. */
  readonly path?: string | false;
  /** `null` on a connection that listens to a channel, and is never idle. */
  readonly idle_timeout?: number | null;
}

/** How often silence is looked for. */
const lookEveryMs = 1_000;

/** How long a lost listener waits between attempts: postgres.js gives it no pause of its own. */
const listenAgainMs = 1_000;

/**
 * Connects as postgres.js does, and makes up for what it leaves out.
 *
 * A server that ends a connection before it is ready is an error here. postgres.js takes it for
 * nothing and connects again, at once and for ever, while the statement waits (its issue 1193). So
 * behaves a proxy whose Postgres is away, or an HTTP server.
 */
export function openSocket({ host, port, path }: SocketOptions): Socket {
  const socket = path ? connect(path) : connect(port[0] ?? 5432, host[0]);
  socket.once('end', () => socket.destroy(lost('CONNECTION_CLOSED')));
  return socket;
}

/**
 * Opens the sockets of a pool, and keeps an outage from piling up statements in it.
 *
 * While Postgres is away one attempt at a time finds out whether it is back. The others fail at
 * once: postgres.js would let each statement wait for an attempt of its own, and run it when its
 * caller has long been told that it failed.
 *
 * A socket on which nothing has arrived for `silentMs` is destroyed. When a network swallows
 * packets nobody else notices: the system retransmits for a quarter of an hour, and until then
 * postgres.js hands statements to the dead connection.
 *
 * @param options.silentMs longer than a connection may be idle and a statement may take, together.
 * @param options.listenerSilentMs longer than a connection that listens to a channel is left without
 * a message.
 */
export function openPoolSockets(options: { silentMs: number; listenerSilentMs: number }) {
  const lastHeard = new Map<Socket, { bytes: number; at: number; silentMs: number }>();
  let isAway = false;
  let attempt: Socket | undefined;

  function note(socket: Socket, isListener: boolean): void {
    let hasAnswered = false;
    attempt = socket;
    socket.once('data', () => {
      hasAnswered = true;
      isAway = false;
    });
    socket.once('close', () => {
      if (!hasAnswered) isAway = true;
    });
    const silentMs = isListener ? options.listenerSilentMs : options.silentMs;
    lastHeard.set(socket, { bytes: 0, at: performance.now(), silentMs });
  }

  function endSilence(): void {
    const now = performance.now();
    for (const [socket, { bytes, at, silentMs }] of lastHeard) {
      // Counted and not listened for: under TLS no byte passes through this socket's events.
      const { destroyed, bytesRead } = socket;
      if (destroyed) lastHeard.delete(socket);
      else if (bytesRead !== bytes) lastHeard.set(socket, { bytes: bytesRead, at: now, silentMs });
      else if (now - at > silentMs) socket.destroy(lost('ETIMEDOUT'));
    }
  }
  const looking = setInterval(endSilence, lookEveryMs);

  return {
    async open(wanted: SocketOptions): Promise<Duplex> {
      const isListener = wanted.idle_timeout === null;
      if (isListener && isAway) await sleep(listenAgainMs, undefined, { ref: false });
      if (isAway && attempt?.destroyed === false) return openLostSocket();
      const socket = openSocket(wanted);
      note(socket, isListener);
      return socket;
    },
    close(): void {
      clearInterval(looking);
    },
  };
}

/**
 * A socket that fails at the first write, and not before: of a connection that ends with a write
 * still to come, postgres.js would send that write first on the next one.
 */
function openLostSocket(): Duplex {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done(lost('CONNECTION_CLOSED'));
    },
  });
}

/** A connection's end, with a code that stands for an unavailable database. */
function lost(code: 'CONNECTION_CLOSED' | 'ETIMEDOUT'): Error {
  return Object.assign(new Error('the connection was lost'), { code });
}
