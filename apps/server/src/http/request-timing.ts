import { systemClock } from '@animal-store/runtime';
import type { Response } from 'express';
import type { RequestWaits } from './request-locals.ts';

const noHeaders: string[] = [];

// A request may wait for a long time, so its values are instances of classes instead of object
// literals. Once many object literals have lived long, V8 allocates such literals in its old space.
// The literals, and everything that they refer to, then stay in memory until a full garbage
// collection.

class Waits implements RequestWaits {
  queueMs = 0;
  redisMs = 0;
  sqlMs = 0;
  bodyMs = 0;
}

class ArrivedLocals {
  readonly arrivedAt = systemClock.elapsed();
  readonly waits = new Waits();
  readonly begin: () => void;
  requestId = '';
  headers = noHeaders;

  constructor(begin: () => void) {
    this.begin = begin;
  }
}

/**
 * Records when a request arrived. The function is called before the load shedder lets the request
 * wait.
 *
 * @param begin a function that continues with the request when the load shedder starts it.
 */
export function recordArrival(res: Response, begin: () => void): void {
  res.locals = new ArrivedLocals(begin);
}

/**
 * Records how long a request has waited for one thing, such as SQL. The wait began at `beganAt`, a
 * time of `systemClock.elapsed()`.
 */
export function addWait(
  { locals: { waits } }: { readonly locals: Express.Locals },
  name: keyof RequestWaits,
  beganAt: number,
): void {
  if (waits !== undefined) waits[name] += systemClock.elapsed() - beganAt;
}

/** Waits for a result, and records how long the request has waited for it. */
export async function timed<Result>(
  res: { readonly locals: Express.Locals },
  name: keyof RequestWaits,
  work: Promise<Result>,
): Promise<Result> {
  const beganAt = systemClock.elapsed();
  try {
    return await work;
  } finally {
    addWait(res, name, beganAt);
  }
}

/** Returns how many milliseconds ago a request arrived. */
export function ageMs({ locals }: Response): number {
  return systemClock.elapsed() - locals.arrivedAt;
}
