import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@animal-store/runtime';
import type { PostgresHost } from './postgres-url.ts';
import { createRememberingLookup } from './remembering-lookup.ts';

/** Where a Postgres is. */
export type Address = PostgresHost;

/** One for all connections, so that each profits from what another one has found. */
const lookup = createRememberingLookup();

/**
 * Connects as postgres.js does, with one correction: a server that ends a connection is an error, also
 * before it is ready. A proxy whose Postgres is down does that, and so does an HTTP server. postgres.js
 * ignores it and connects again, at once and forever, while the statement waits (its issue 1193).
 *
 * The socket has the name of the host, because under TLS postgres.js takes it from there: servers that
 * many databases share choose the certificate by it (SNI).
 */
export function openSocket({ host, port, path }: Address): Socket {
  const socket =
    path === undefined ? Object.assign(connect({ port, host, lookup }), { host }) : connect(path);
  return socket.once('end', () => socket.destroy(lost('CONNECTION_CLOSED')));
}

/**
 * Gives a socket that fails at once, for a connection that is not to be opened. If opening it failed
 * instead, postgres.js would never use that connection again.
 */
export function openFailingSocket(code: string): Duplex {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done(lost(code));
    },
  });
}

/** A new error each time, because postgres.js adds the statement to it. */
function lost(code: string): Error {
  return Object.assign(new Error('the connection was lost'), { code });
}

/** What a socket has read and written, as it was when data last arrived. */
interface Traffic {
  /** How long nothing may arrive, in milliseconds. */
  readonly silentMs: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly heardAt: number;
  /** When something was first written after that. `undefined` if no answer is due. */
  askedAt?: number;
}

/**
 * Watches sockets, and destroys those that have fallen silent: on which nothing has arrived for
 * `silentMs`, or that were written to and have not answered for `answerMs`.
 *
 * Nothing else notices a network that drops packets: the system retransmits for a quarter of an hour, and
 * until then postgres.js sends statements to the dead connection. A Postgres that hung would run all of them
 * when it continues, for callers who were told that they failed, before it serves anybody else.
 *
 * @param options.answerMs longer than a statement may take.
 * @param options.checkEveryMs how often silent connections are looked for.
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
    /** @param silentMs how long nothing may arrive on this socket. */
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
