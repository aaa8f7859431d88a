import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** The options with which postgres.js asks for a socket. */
export interface SocketOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** The path of a Unix socket, instead of host and port. */
  readonly path?: string | false;
  /** `null` for a connection that listens to a channel and is never idle. */
  readonly idle_timeout?: number | null;
}

/** How often silent connections are looked for. */
const checkEveryMs = 100;

/** How long a lost listener waits between attempts: postgres.js itself does not wait. */
const listenAgainMs = 1_000;

/**
 * Connects as postgres.js does, with one correction: a server that ends a connection before it is
 * ready is an error. A proxy whose Postgres is down does that, and so does an HTTP server.
 * postgres.js ignores it and connects again, at once and forever, while the statement waits (its
 * issue 1193).
 *
 * The socket has the name of the host, because under TLS postgres.js takes it from there: servers that
 * many databases share choose the certificate by it (SNI).
 */
export function openSocket({ host, port, path }: SocketOptions): Socket & { host?: string } {
  const name = host[0];
  if (path || name === undefined) return failAtEnd(path ? connect(path) : connect(port[0] ?? 5432));
  return failAtEnd(Object.assign(connect(port[0] ?? 5432, name), { host: name }));
}

function failAtEnd<Connection extends Socket>(socket: Connection): Connection {
  socket.once('end', () => socket.destroy(lost('CONNECTION_CLOSED')));
  return socket;
}

/** The traffic of a socket, as it was when data last arrived. */
interface Traffic {
  /** Whether the connection listens to a channel. */
  readonly isListener: boolean;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly heardAt: number;
  /** When something was first written after that. `undefined` if no answer is due. */
  askedAt?: number;
}

/**
 * Opens the sockets of a pool. During an outage it prevents statements from piling up in the pool.
 *
 * While Postgres is down, one attempt at a time finds out whether it is back; all others fail at
 * once. postgres.js would make each statement wait for its own attempt, and run it long after its
 * caller was told that it failed.
 *
 * A socket on which nothing has arrived for `silentMs` is destroyed, and so is one that was written
 * to and has not answered for `answerMs`. Nothing else notices a network that drops packets: the
 * system retransmits for a quarter of an hour, and until then postgres.js sends statements to the
 * dead connection. A Postgres that hung would run all of them when it continues, for callers who were
 * told that they failed, before it serves anybody else.
 *
 * @param options.answerMs longer than a statement may take.
 * @param options.silentMs longer than a connection may be idle and a statement may take, together.
 * @param options.listenerSilentMs longer than the time between two heartbeats on a listening
 * connection.
 */
export function openPoolSockets(options: {
  answerMs: number;
  silentMs: number;
  listenerSilentMs: number;
}) {
  const traffic = new Map<Socket, Traffic>();
  let isAway = false;
  /** The latest socket, until it has answered. */
  let attempt: Socket | undefined;

  function watch(socket: Socket, isListener: boolean): void {
    let hasAnswered = false;
    attempt = socket;
    socket.once('data', () => {
      hasAnswered = true;
      isAway = false;
      if (attempt === socket) attempt = undefined;
    });
    socket.once('close', () => {
      if (!hasAnswered) isAway = true;
    });
    traffic.set(socket, trafficOf(socket, isListener));
  }

  function destroySilent(): void {
    const now = performance.now();
    for (const [socket, last] of traffic) {
      const { isListener, bytesRead, bytesWritten, heardAt } = last;
      if (socket.destroyed) traffic.delete(socket);
      // Compares byte counts, because under TLS this socket emits no `data` events.
      else if (socket.bytesRead !== bytesRead) traffic.set(socket, trafficOf(socket, isListener));
      else {
        if (socket.bytesWritten !== bytesWritten) last.askedAt ??= now;
        const { askedAt = now } = last;
        const silentMs = isListener ? options.listenerSilentMs : options.silentMs;
        if (now - askedAt <= options.answerMs && now - heardAt <= silentMs) continue;
        // A late heartbeat does not prove an outage. The next statement will tell.
        if (!isListener) {
          isAway = true;
          attempt = undefined;
        }
        socket.destroy(lost('ETIMEDOUT'));
      }
    }
  }
  const checking = setInterval(destroySilent, checkEveryMs);

  return {
    async open(wanted: SocketOptions): Promise<Duplex> {
      const isListener = wanted.idle_timeout === null;
      if (isListener && isAway) await sleep(listenAgainMs, undefined, { ref: false });
      if (isAway && attempt?.destroyed === false) return openLostSocket();
      const socket = openSocket(wanted);
      watch(socket, isListener);
      return socket;
    },
    close(): void {
      clearInterval(checking);
    },
  };
}

/**
 * Creates a socket that fails at the first write and not before. If it failed earlier, postgres.js
 * would still hold that write, and send it first on the next connection.
 */
function openLostSocket(): Duplex {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done(lost('CONNECTION_CLOSED'));
    },
  });
}

function trafficOf({ bytesRead, bytesWritten }: Socket, isListener: boolean): Traffic {
  return { isListener, bytesRead, bytesWritten, heardAt: performance.now() };
}

/** An error with a code that means an unavailable database. */
function lost(code: 'CONNECTION_CLOSED' | 'ETIMEDOUT'): Error {
  return Object.assign(new Error('the connection was lost'), { code });
}
