import { systemClock } from '@animal-store/runtime';
import type { Response } from 'express';
import type { RequestWaits } from './request-locals.ts';

const noHeaders: string[] = [];

type WithLocals = { readonly locals: Express.Locals };

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
  waitingFor: keyof RequestWaits | undefined = undefined;
  waitingSince = 0;

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

/** Records how long a request has waited in the load shedder's queue. */
export function recordQueueWait({ locals: { arrivedAt, waits } }: WithLocals): void {
  if (waits !== undefined) waits.queueMs = systemClock.elapsed() - arrivedAt;
}

/** Records that a request begins to wait for one thing, such as SQL. */
export function beginWait({ locals }: WithLocals, name: keyof RequestWaits): void {
  if (locals.waits === undefined) return;
  locals.waitingFor = name;
  locals.waitingSince = systemClock.elapsed();
}

/**
 * Records that the current wait of a request has ended, and how long it took. A wait also ends when
 * the client disconnects. Without this, a request that its client has given up would be logged
 * without the wait that made it slow.
 */
export function endWait({ locals }: WithLocals): void {
  const { waits, waitingFor, waitingSince } = locals;
  if (waits === undefined || waitingFor === undefined || waitingSince === undefined) return;
  waits[waitingFor] += systemClock.elapsed() - waitingSince;
  locals.waitingFor = undefined;
}

/** Waits for a result, and records how long the request has waited for it. */
export async function timed<Result>(
  res: WithLocals,
  name: keyof RequestWaits,
  work: Promise<Result>,
): Promise<Result> {
  beginWait(res, name);
  try {
    return await work;
  } finally {
    endWait(res);
  }
}

/** Returns how many milliseconds ago a request arrived. */
export function ageMs({ locals }: Response): number {
  return systemClock.elapsed() - locals.arrivedAt;
}
