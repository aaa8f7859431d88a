import type { Clock } from '@animal-store/runtime';
import { createCallerQueues, type Queued, type WaitingCaller } from './caller-queues.ts';

/**
 * The longest time in milliseconds that a connection is paused. With 4,500 connections of callers
 * that do not back off, the turn of a connection comes after up to a second. If connections were
 * resumed much earlier, their requests would be read, wait, and be refused.
 */
const maxPauseMs = 1_000;

/** The properties of a socket that are needed to pause and resume reading. */
export interface PausableSocket {
  readonly destroyed: boolean;
  pause(): unknown;
  resume(): unknown;
}

/** A connection from which the server currently does not read. */
class PausedConnection implements Queued {
  readonly caller: WaitingCaller;
  readonly untilMs: number;
  isQueued = false;
  readonly #socket: PausableSocket;

  constructor(caller: WaitingCaller, socket: PausableSocket, untilMs: number) {
    this.caller = caller;
    this.#socket = socket;
    this.untilMs = untilMs;
    socket.pause();
  }

  resume(): void {
    if (!this.#socket.destroyed) this.#socket.resume();
  }
}

/**
 * Creates the set of connections from which the server does not read during an overload.
 *
 * A caller that does not back off sends its next request as soon as it has a response. Each request
 * that was read consists of 10 kB of objects, which every garbage collection copies while the
 * request waits. A request that was not read yet waits in the kernel and needs no memory of this
 * process.
 */
export function createPausedConnections({ clock }: { clock: Clock }) {
  const queues = createCallerQueues<PausedConnection>();

  return {
    /** The number of paused connections. */
    get size() {
      return queues.size;
    },

    /** Stops reading from a connection until it is resumed. */
    pause(caller: WaitingCaller, socket: PausableSocket): void {
      if (socket.destroyed) return;
      queues.add(new PausedConnection(caller, socket, clock.elapsed() + maxPauseMs));
    },

    /** Resumes the connections whose pause has reached its maximum length. */
    resumeOld(): void {
      const now = clock.elapsed();
      const isOld = ({ untilMs }: PausedConnection) => untilMs <= now;
      for (let old = queues.takeOldestIf(isOld); old; old = queues.takeOldestIf(isOld)) {
        old.resume();
      }
    },

    /** Resumes up to `count` connections: one connection of each caller after the other. */
    resume(count: number): void {
      for (let i = 0; i < count; i += 1) queues.takeNext('oldest')?.resume();
    },

    /** Returns the time at which the next connection must be resumed. */
    nextAt(): number {
      return queues.oldest()?.untilMs ?? Number.POSITIVE_INFINITY;
    },
  };
}
