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
const lookEveryMs = 100;

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

/** What has passed through a socket. */
interface Exchange {
  /** Whether it listens to a channel. */
  readonly isListener: boolean;
  readonly bytesRead: number;
  /** As many as when it was last heard from. */
  readonly bytesWritten: number;
  readonly heardAt: number;
  /** When more was first written; `undefined` if nothing was, so that no answer is due. */
  askedAt?: number;
}

/**
 * Opens the sockets of a pool, and keeps an outage from piling up statements in it.
 *
 * While Postgres is away one attempt at a time finds out whether it is back. The others fail at
 * once: postgres.js would let each statement wait for an attempt of its own, and run it when its
 * caller has long been told that it failed.
 *
 * A socket on which nothing has arrived for `silentMs` is destroyed, and so is one that was written
 * to and has not answered for `answerMs`. When a network swallows packets nobody else notices: the
 * system retransmits for a quarter of an hour, and until then postgres.js hands statements to the
 * dead connection. A Postgres that hangs would find them all when it goes on, and do them for callers
 * who have long been told that they failed, before it answers anybody else.
 *
 * @param options.answerMs longer than a statement may take.
 * @param options.silentMs longer than a connection may be idle and a statement may take, together.
 * @param options.listenerSilentMs longer than a connection that listens to a channel is left without
 * a message.
 */
export function openPoolSockets(options: {
  answerMs: number;
  silentMs: number;
  listenerSilentMs: number;
}) {
  const exchanges = new Map<Socket, Exchange>();
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
    exchanges.set(socket, heardFrom(socket, isListener));
  }

  function endSilence(): void {
    const now = performance.now();
    for (const [socket, exchange] of exchanges) {
      const { isListener, bytesRead, bytesWritten, heardAt } = exchange;
      if (socket.destroyed) exchanges.delete(socket);
      // Counted and not listened for: under TLS no byte passes through this socket's events.
      else if (socket.bytesRead !== bytesRead) exchanges.set(socket, heardFrom(socket, isListener));
      else {
        if (socket.bytesWritten !== bytesWritten) exchange.askedAt ??= now;
        const { askedAt = now } = exchange;
        const silentMs = isListener ? options.listenerSilentMs : options.silentMs;
        if (now - askedAt <= options.answerMs && now - heardAt <= silentMs) continue;
        // A message that is late is no outage: those who have something to ask find out.
        if (!isListener) {
          isAway = true;
          attempt = undefined;
        }
        socket.destroy(lost('ETIMEDOUT'));
      }
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

function heardFrom({ bytesRead, bytesWritten }: Socket, isListener: boolean): Exchange {
  return { isListener, bytesRead, bytesWritten, heardAt: performance.now() };
}

/** A connection's end, with a code that stands for an unavailable database. */
function lost(code: 'CONNECTION_CLOSED' | 'ETIMEDOUT'): Error {
  return Object.assign(new Error('the connection was lost'), { code });
}
