import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@animal-store/runtime';
import { createCachedLookup } from './cached-lookup.ts';
import type { PostgresHost } from './postgres-url.ts';

/** The address of a Postgres: host and port, or the path of a Unix socket. */
export type Address = PostgresHost;

/**
 * The lookup of host names, which all connections share. So each connection can use the addresses
 * that another connection has found.
 */
const lookup = createCachedLookup();

/**
 * Opens a socket like postgres.js does, with one difference: the socket emits an error when the
 * server closes the connection.
 *
 * A proxy closes its connections without an error when its Postgres is down. An HTTP server also
 * closes its connections without an error, if the URL names an HTTP server by mistake. postgres.js
 * ignores the end of the connection. It then reconnects immediately, again and again, while the
 * statement waits (issue 1193 of postgres.js).
 *
 * The socket has a property `host`, because postgres.js takes the host name for TLS from it.
 * Servers that many databases share choose the certificate by this name (SNI).
 */
export function openSocket({ host, port, path }: Address): Socket {
  const socket =
    path === undefined ? Object.assign(connect({ port, host, lookup }), { host }) : connect(path);
  return socket.once('end', () => socket.destroy(lost('CONNECTION_CLOSED')));
}

/**
 * Creates a socket that fails at its first write, for a connection that must not be opened. The
 * function that opens sockets must not throw, because postgres.js would then never use that
 * connection again.
 */
export function openFailingSocket(code: string): Duplex {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done(lost(code));
    },
  });
}

/**
 * Creates the error of a lost connection. Each error is a new object, because postgres.js adds the
 * statement to it.
 */
function lost(code: string): Error {
  return Object.assign(new Error('The connection to Postgres was lost.'), { code });
}

/** The state of a watched socket when data last arrived. */
interface Traffic {
  /** How long the socket may receive no data, in milliseconds. */
  readonly silentMs: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly heardAt: number;
  /**
   * The time of the first write since data last arrived, or `undefined` if no response is expected.
   */
  askedAt?: number;
}

/**
 * Watches sockets, and destroys sockets that receive nothing for `silentMs`, or get no response
 * within `answerMs` after a write.
 *
 * These checks are needed, because nothing else detects a network that drops packets. The operating
 * system retransmits packets for a quarter of an hour, and postgres.js sends statements to the dead
 * connection in this time. If Postgres only hung, it would later execute these statements, although
 * their callers have received an error.
 *
 * @param options.answerMs the timeout of a response. It must be longer than the timeout of a
 *   statement.
 * @param options.checkEveryMs how often the sockets are checked.
 */
export function watchSockets({
  answerMs,
  checkEveryMs,
  clock = systemClock,
}: {
  answerMs: number;
  checkEveryMs: number;
  /** The clock that measures how long a socket receives nothing. @default {@link systemClock} */
  clock?: Clock;
}) {
  const traffic = new Map<Socket, Traffic>();

  function destroySilent(): void {
    const now = clock.elapsed();
    for (const [socket, last] of traffic) {
      // The byte counts are compared, because the socket emits no `data` events when the driver
      // uses TLS.
      if (socket.destroyed) traffic.delete(socket);
      else if (socket.bytesRead !== last.bytesRead) recordTraffic(socket, last.silentMs);
      else {
        if (socket.bytesWritten !== last.bytesWritten) last.askedAt ??= now;
        const { askedAt = now, heardAt, silentMs } = last;
        const isSilent = now - askedAt > answerMs || now - heardAt > silentMs;
        if (isSilent) socket.destroy(lost('ETIMEDOUT'));
      }
    }
  }
  const checking = clock.every(checkEveryMs, destroySilent);

  function recordTraffic(socket: Socket, silentMs: number): void {
    const { bytesRead, bytesWritten } = socket;
    traffic.set(socket, { silentMs, bytesRead, bytesWritten, heardAt: clock.elapsed() });
  }

  return {
    /**
     * Starts to watch a socket.
     *
     * @param silentMs how long this socket may receive no data, in milliseconds.
     */
    watch: recordTraffic,

    /** Destroys all watched sockets. */
    destroyAll(): void {
      for (const socket of traffic.keys()) socket.destroy(lost('CONNECTION_CLOSED'));
    },

    close(): void {
      clock.cancel(checking);
    },
  };
}
