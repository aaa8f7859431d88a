import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@animal-store/runtime';
import type { PostgresHost } from './postgres-url.ts';
import { createRememberingLookup } from './remembering-lookup.ts';

/** The address of a Postgres. */
export type Address = PostgresHost;

/**
 * All connections share this lookup, so that each profits from addresses that another one has
 * found.
 */
const lookup = createRememberingLookup();

/**
 * Connects like postgres.js, with one correction: a server that closes a connection causes an
 * error, also before the connection is ready. A proxy whose Postgres is down closes connections
 * like this, and so does an HTTP server. postgres.js ignores it and reconnects at once and forever,
 * while the statement waits (its issue 1193).
 *
 * The socket has the name of the host, because postgres.js takes the name for TLS from it. Servers
 * that many databases share choose the certificate by this name (SNI).
 */
export function openSocket({ host, port, path }: Address): Socket {
  const socket =
    path === undefined ? Object.assign(connect({ port, host, lookup }), { host }) : connect(path);
  return socket.once('end', () => socket.destroy(lost('CONNECTION_CLOSED')));
}

/**
 * Creates a socket that fails at once, for a connection that must not be opened. If opening it
 * failed instead, postgres.js would never use that connection again.
 */
export function openFailingSocket(code: string): Duplex {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done(lost(code));
    },
  });
}

/** The error is new each time, because postgres.js adds the statement to it. */
function lost(code: string): Error {
  return Object.assign(new Error('the connection was lost'), { code });
}

/** The byte counts of a socket when data last arrived. */
interface Traffic {
  /** How long the socket may receive nothing, in milliseconds. */
  readonly silentMs: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly heardAt: number;
  /** When data was first written after that; `undefined` if no response is due. */
  askedAt?: number;
}

/**
 * Watches sockets, and destroys silent ones: those that received nothing for `silentMs`, or that
 * got no response for `answerMs` after a write.
 *
 * Nothing else detects a network that drops packets. The system retransmits for a quarter of an
 * hour, and until then postgres.js sends statements to the dead connection. A Postgres that hung
 * would run all of them when it continues, although their callers have received an error, and would
 * delay others.
 *
 * @param options.answerMs longer than the timeout of a statement.
 * @param options.checkEveryMs how often to look for silent connections.
 */
export function watchSockets({
  answerMs,
  checkEveryMs,
  clock = systemClock,
}: {
  answerMs: number;
  checkEveryMs: number;
  /** @default {@link systemClock} */
  clock?: Clock;
}) {
  const traffic = new Map<Socket, Traffic>();

  function destroySilent(): void {
    const now = clock.elapsed();
    for (const [socket, last] of traffic) {
      // Compares byte counts, because under TLS this socket emits no `data` events.
      if (socket.destroyed) traffic.delete(socket);
      else if (socket.bytesRead !== last.bytesRead) note(socket, last.silentMs);
      else {
        if (socket.bytesWritten !== last.bytesWritten) last.askedAt ??= now;
        const { askedAt = now, heardAt, silentMs } = last;
        const isSilent = now - askedAt > answerMs || now - heardAt > silentMs;
        if (isSilent) socket.destroy(lost('ETIMEDOUT'));
      }
    }
  }
  const checking = clock.every(checkEveryMs, destroySilent);

  function note(socket: Socket, silentMs: number): void {
    const { bytesRead, bytesWritten } = socket;
    traffic.set(socket, { silentMs, bytesRead, bytesWritten, heardAt: clock.elapsed() });
  }

  return {
    /**
     * Starts to watch a socket.
     *
     * @param silentMs how long this socket may receive nothing.
     */
    watch: note,

    /** Destroys all sockets. */
    destroyAll(): void {
      for (const socket of traffic.keys()) socket.destroy(lost('CONNECTION_CLOSED'));
    },

    close(): void {
      clock.cancel(checking);
    },
  };
}
