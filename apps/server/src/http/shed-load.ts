import { monitorEventLoopDelay } from 'node:perf_hooks';
import { rateLimitHeaders } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { HttpError } from './http-error.ts';

/** How often the event loop's delay is checked, in milliseconds. */
const checkEveryMs = 250;

const nanosecondsPerMs = 1e6;

/** Knows whether the process is overloaded. */
export interface LoadShedder {
  /**
   * Takes a slot for a request, until `leave` is called.
   *
   * @returns whether the process can answer it. The slot is taken anyway.
   */
  enter(): boolean;
  leave(): void;
  /** How many requests are being answered. */
  readonly inFlight: number;
  close(): void;
}

/**
 * Watches the load of the process. Above the limits a request gets 503 at once, so that the others
 * are answered in time instead of all of them late.
 *
 * @param options.maxInFlight how many requests may be answered at the same time.
 * @param options.maxLoopDelayMs the mean delay of the event loop that is tolerated.
 */
export function openLoadShedder(options: {
  maxInFlight: number;
  maxLoopDelayMs: number;
}): LoadShedder {
  const { maxInFlight, maxLoopDelayMs } = options;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let isLate = false;
  const checking = setInterval(() => {
    isLate = delay.mean / nanosecondsPerMs > maxLoopDelayMs;
    delay.reset();
  }, checkEveryMs).unref();
  let inFlight = 0;

  return {
    get inFlight() {
      return inFlight;
    },
    enter() {
      inFlight += 1;
      return inFlight <= maxInFlight && !isLate;
    },
    leave() {
      inFlight -= 1;
    },
    close() {
      clearInterval(checking);
      delay.disable();
    },
  };
}

/**
 * Creates the step that refuses requests while the process is overloaded. It comes before the quota: a
 * refused request costs nothing.
 *
 * A slot is free once the response is complete, not once it is sent: clients that read nothing would
 * hold all slots. A client that disconnects does not end the work, so it keeps its slot.
 */
export function shedLoad({ enter, leave }: Pick<LoadShedder, 'enter' | 'leave'>): RequestHandler {
  return function refuseOverload(_req, res, next) {
    res.locals.onAnswered = leave;
    if (enter()) return next();
    const headers = { [rateLimitHeaders.retryAfter]: '1' };
    const message = 'The service is overloaded. Retry after 1 s.';
    next(new HttpError('service_unavailable', message, { headers }));
  };
}
