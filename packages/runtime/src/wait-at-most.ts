import { type Clock, systemClock } from './clock.ts';

/** The limit of the wait. */
export interface TimeLimit {
  readonly ms: number;
  /** @default {@link systemClock}, because a database, for example, has no other clock */
  readonly clock?: Clock;
}

/**
 * Waits for a promise, but not longer than a limit.
 *
 * @param late returns the result after the limit, or rejects. A later result of the promise is
 *   ignored.
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
