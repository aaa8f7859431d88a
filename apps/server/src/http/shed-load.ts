import { monitorEventLoopDelay } from 'node:perf_hooks';
import { rateLimitHeaders } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/** How often the event loop's delay is looked at, in milliseconds. */
const lookEveryMs = 250;

const nanosecondsPerMs = 1e6;

/** Turns requests away while the process has more than it can do. */
export interface LoadShedder {
  /** The step that does it, before any quota is taken: a request turned away costs nothing. */
  readonly step: RequestHandler;
  close(): void;
}

/**
 * Watches how much there is to do. Beyond the bounds a request is answered 503 at once: the others
 * are then answered in time, where all would be late.
 *
 * @param options.maxInFlight requests being answered at the same time.
 * @param options.maxLoopDelayMs how late, on average, the event loop may be.
 */
export function openLoadShedder(options: {
  maxInFlight: number;
  maxLoopDelayMs: number;
}): LoadShedder {
  const { maxInFlight, maxLoopDelayMs } = options;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let isLate = false;
  const looking = setInterval(() => {
    isLate = delay.mean / nanosecondsPerMs > maxLoopDelayMs;
    delay.reset();
  }, lookEveryMs).unref();
  let inFlight = 0;

  return {
    step: function shedLoad(_req, res, next) {
      inFlight += 1;
      res.once('close', () => {
        inFlight -= 1;
      });
      if (inFlight <= maxInFlight && !isLate) return next();
      throw new ApiError('service_unavailable', 'The service is overloaded. Retry after 1 s.', {
        headers: { [rateLimitHeaders.retryAfter]: '1' },
      });
    },
    close() {
      clearInterval(looking);
      delay.disable();
    },
  };
}
