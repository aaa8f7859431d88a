import type { Clock } from '@animal-store/runtime';
import { createCallerQueues } from './caller-queues.ts';

/** How long a connection is paused at most. */
const maxPauseMs = 500;

/** The part of a socket that is needed to stop and to continue reading. */
export interface PausableSocket {
  readonly destroyed: boolean;
  pause(): unknown;
  resume(): unknown;
}

/** A connection from which nothing is read. */
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
 * Creates the set of connections from which nothing is read during an overload.
 *
 * A caller that does not back off sends its next request as soon as it has a response. A request
 * that was read and waits consists of 10 kB of objects, and every garbage collection copies them.
 * A request that was not read waits in the kernel and costs nothing.
 */
export function createPausedConnections({ clock }: { clock: Clock }) {
  const queues = createCallerQueues<PausedConnection>();
  /** All connections in the order in which they were paused. Some may have been resumed. */
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

    /** Reads nothing more from a connection until it is resumed. */
    pause(caller: string, socket: PausableSocket): void {
      if (socket.destroyed) return;
      const connection = new PausedConnection(caller, socket, clock.elapsed() + maxPauseMs);
      queues.add(caller, connection);
      byTime.push(connection);
    },

    /** Resumes connections that have been paused for too long. */
    resumeOld(): void {
      const now = clock.elapsed();
      for (let first = oldest(); first !== undefined && first.untilMs <= now; first = oldest()) {
        // The oldest connection of all is also the oldest of its caller.
        queues.takeOldestOf(first.caller);
        first.resume();
      }
    },

    /** Resumes up to `count` connections, one of each caller in turn. */
    resume(count: number): void {
      for (let i = 0; i < count; i += 1) queues.takeNext('oldest')?.resume();
    },

    /** Returns the time at which the next connection must be resumed. */
    nextAt(): number {
      return oldest()?.untilMs ?? Number.POSITIVE_INFINITY;
    },
  };
}
