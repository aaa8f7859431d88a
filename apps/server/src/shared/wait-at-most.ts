/**
 * Waits for a promise, but no longer than `ms`.
 *
 * @param late gives the result if it takes longer, or rejects. What the promise settles with then is ignored.
 */
export async function waitAtMost<Result>(
  ms: number,
  promise: PromiseLike<Result>,
  late: () => Result | Promise<Result>,
): Promise<Result> {
  const deadline = Promise.withResolvers<Result>();
  const timer = setTimeout(() => deadline.resolve(late()), ms);
  try {
    return await Promise.race([promise, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
