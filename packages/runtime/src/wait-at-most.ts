import { type Clock, systemClock } from './clock.ts';

/** The timeout of a wait, and the clock that measures it. */
export interface TimeLimit {
  readonly ms: number;
  /**
   * The clock for the timeout. @default {@link systemClock}, because databases and other systems
   * respond in real time
   */
  readonly clock?: Clock;
}

/**
 * Waits for a promise, but not longer than a timeout.
 *
 * @param late returns the result after the timeout, or rejects. A later result of the promise is
 *   then ignored.
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
