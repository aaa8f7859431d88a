import type { Clock } from '@animal-store/runtime';
import { createCallerQueues } from './caller-queues.ts';

/** The longest time in milliseconds that a connection is paused. */
const maxPauseMs = 500;

/** The part of a socket that is needed to pause and resume reading. */
export interface PausableSocket {
  readonly destroyed: boolean;
  pause(): unknown;
  resume(): unknown;
}

/** A connection from which the server currently does not read. */
class PausedConnection {
  readonly caller: string;
  readonly untilMs: number;
  isPaused = true;
  readonly #socket: PausableSocket;

  constructor(caller: string, socket: PausableSocket, untilMs: number) {
    this.caller = caller;
    this.#socket = socket;
    this.untilMs = untilMs;
    socket.pause();
  }

  resume(): void {
    this.isPaused = false;
    if (!this.#socket.destroyed) this.#socket.resume();
  }
}

/**
 * Creates the set of connections from which the server does not read during an overload.
 *
 * A caller that does not back off sends its next request as soon as it has a response. Each request
 * that was read consists of 10 kB of objects, which every garbage collection copies while the
 * request waits. A request that was not read yet waits in the kernel and costs nothing.
 */
export function createPausedConnections({ clock }: { clock: Clock }) {
  const queues = createCallerQueues<PausedConnection>();
  /**
   * All paused connections in the order in which they were paused. The list may also contain
   * connections that were already resumed.
   */
  const byTime: PausedConnection[] = [];

  function oldest(): PausedConnection | undefined {
    const first = byTime.findIndex(({ isPaused }) => isPaused);
    if (first !== 0) byTime.splice(0, first === -1 ? byTime.length : first);
    return byTime[0];
  }

  return {
    /** The number of paused connections. */
    get size() {
      return queues.size;
    },

    /** Stops reading from a connection until it is resumed. */
    pause(caller: string, socket: PausableSocket): void {
      if (socket.destroyed) return;
      const connection = new PausedConnection(caller, socket, clock.elapsed() + maxPauseMs);
      queues.add(caller, connection);
      byTime.push(connection);
    },

    /** Resumes the connections whose pause has reached its maximum length. */
    resumeOld(): void {
      const now = clock.elapsed();
      for (let first = oldest(); first !== undefined && first.untilMs <= now; first = oldest()) {
        // This connection is the oldest of all, so it is also the oldest one of its caller.
        queues.takeOldestOf(first.caller);
        first.resume();
      }
    },

    /** Resumes up to `count` connections: one connection of each caller after the other. */
    resume(count: number): void {
      for (let i = 0; i < count; i += 1) queues.takeNext('oldest')?.resume();
    },

    /** Returns the time at which the next connection must be resumed. */
    nextAt(): number {
      return oldest()?.untilMs ?? Number.POSITIVE_INFINITY;
    },
  };
}
