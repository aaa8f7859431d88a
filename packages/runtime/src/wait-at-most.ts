import { type Clock, systemClock } from './clock.ts';

/** How long to wait. */
export interface TimeLimit {
  readonly ms: number;
  /** @default {@link systemClock}: what is waited for, such as a database, has no other. */
  readonly clock?: Clock;
}

/**
 * Waits for a promise, but not longer than a limit.
 *
 * @param late gives the result if it takes longer, or rejects. What the promise settles with then is ignored.
 */
export async function waitAtMost<Result>(
  { ms, clock = systemClock }: TimeLimit,
  promise: PromiseLike<Result>,
  late: () => Result | Promise<Result>,
): Promise<Result> {
  const deadline = Promise.withResolvers<Result>();
  const timer = clock.after(ms, () => deadline.resolve(late()));
  try {
    return await Promise.race([promise, deadline.promise]);
  } finally {
    clock.cancel(timer);
  }
}
