import type { Clock, Timer } from '@animal-store/runtime';
import type { NextFunction, Request, RequestHandler } from 'express';
import { createCallerQueues, type Queued, type WaitingCaller } from './caller-queues.ts';
import { networkOf } from './client-network.ts';

/**
 * The time in seconds for which unused starts are saved up. With the saved starts, a page of the
 * console can send all of its requests without waiting.
 */
const savedSeconds = 0.25;

/** A request that waits until it may start. */
class WaitingRequest implements Queued {
  readonly caller: WaitingCaller;
  isQueued = false;
  readonly #next: NextFunction;
  readonly #clock: Clock;
  readonly #beganAt: number;
  #waitedMs: number | undefined;

  constructor(req: Request, next: NextFunction, clock: Clock) {
    this.caller = { name: networkOf(req), group: 'networks' };
    this.#next = next;
    this.#clock = clock;
    this.#beganAt = clock.elapsed();
  }

  /** How long the request has waited until now, or until it started. */
  get waitedMs(): number {
    return this.#waitedMs ?? this.#clock.elapsed() - this.#beganAt;
  }

  start(): void {
    this.#waitedMs = this.waitedMs;
    this.#next();
  }
}

declare global {
  namespace Express {
    interface Locals {
      /**
       * How long a request to the ops listener has waited for its start; `undefined` if it started
       * immediately.
       */
      pace?: { readonly waitedMs: number } | undefined;
    }
  }
}

/**
 * Creates a middleware that limits how many requests start per second. Further requests wait, in
 * one queue for each network. One request of each network is started after the other, so a health
 * check does not wait behind a flood from another network.
 *
 * Without this limit, a flood of requests to the ops listener delays the callers of the public API,
 * because both listeners share one event loop.
 *
 * No request is refused. A client that does not back off repeats a refused request immediately, and
 * a refusal takes as much CPU time as the response to a health check.
 */
export function paceRequests({
  perSecond,
  clock,
}: {
  perSecond: number;
  clock: Clock;
}): RequestHandler {
  const intervalMs = 1_000 / perSecond;
  const maxSavedMs = Math.max(0, savedSeconds * 1_000 - intervalMs);
  const queues = createCallerQueues<WaitingRequest>();
  /**
   * The time from which the next request may start. It is in the past if unused starts are saved
   * up.
   */
  let nextAt = clock.elapsed() - maxSavedMs;
  let waking: Timer | undefined;

  /** Returns whether a request may start now. If so, the function counts the start. */
  function takeStart(): boolean {
    const now = clock.elapsed();
    if (nextAt > now) return false;
    nextAt = Math.max(nextAt, now - maxSavedMs) + intervalMs;
    return true;
  }

  function startWaiting(): void {
    waking = undefined;
    while (queues.size > 0 && takeStart()) queues.takeNext('oldest')?.start();
    wakeUp();
  }

  /** If requests wait, sets a timer for the time at which the next one may start. */
  function wakeUp(): void {
    if (queues.size === 0 || waking !== undefined) return;
    waking = clock.after(nextAt - clock.elapsed(), startWaiting);
  }

  return function startOrWait(req, res, next) {
    if (queues.size === 0 && takeStart()) {
      next();
      return;
    }
    const waiting = new WaitingRequest(req, next, clock);
    res.locals.pace = waiting;
    queues.add(waiting);
    // Nobody reads a request while it waits, so a waiting request emits "close" only if its client
    // has disconnected. If the request stayed in its queue, clients that disconnect could fill the
    // memory, and each of their requests would take a start from other clients.
    req.once('close', () => queues.remove(waiting));
    wakeUp();
  };
}
