import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Does the work of several requests in one round trip.
 *
 * @returns one result for each request, in their order. A result may itself be a promise: then it
 * can fail without the others. If the whole call rejects, every request of the batch fails.
 */
export type SendBatch<Request, Result> = (
  requests: readonly Request[],
) => Promise<readonly (Result | PromiseLike<Result>)[]>;

interface Call<Request, Result> {
  readonly request: Request;
  resolve(result: Result | PromiseLike<Result>): void;
  reject(reason: unknown): void;
}

/**
 * Collects requests while a batch is in flight, and sends them together when it is answered. A
 * request that finds no batch in flight is sent at once, so a lone request never waits.
 *
 * A request only joins a batch that has not been sent yet. So no result is older than its request.
 *
 * @param options.maxSize The largest number of requests in one batch.
 * @param options.patienceMs How long requests wait for the batch in flight. After that they are sent
 * beside it, so that one slow batch does not hold up everything behind it.
 */
export function createBatcher<Request, Result>(
  send: SendBatch<Request, Result>,
  options: { maxSize: number; patienceMs: number },
): (request: Request) => Promise<Result> {
  const { maxSize, patienceMs } = options;
  const waiting: Call<Request, Result>[] = [];
  let isHeldUp = false;
  // A batch runs in the async context of its first request. Without this it would inherit the
  // context of the batch before it, and its trace spans would belong to a stranger.
  let runInContext = AsyncLocalStorage.snapshot();

  function sendWaiting(): void {
    const calls = waiting.splice(0, maxSize);
    if (calls.length === 0) return;
    isHeldUp = true;
    let isNextReleased = false;
    function releaseNext(): void {
      if (isNextReleased) return;
      isNextReleased = true;
      clearTimeout(patience);
      isHeldUp = false;
      runInContext(sendWaiting);
    }
    const patience = setTimeout(releaseNext, patienceMs);
    sendCalls(calls, send).finally(releaseNext);
  }

  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) runInContext = AsyncLocalStorage.snapshot();
      waiting.push({ request, resolve, reject });
      if (!isHeldUp) sendWaiting();
    });
}

/** Sends a batch and settles each of its calls. Never rejects. */
async function sendCalls<Request, Result>(
  calls: readonly Call<Request, Result>[],
  send: SendBatch<Request, Result>,
): Promise<void> {
  try {
    const results = await send(calls.map(({ request }) => request));
    if (results.length !== calls.length) {
      throw new TypeError(`A batch of ${calls.length} has ${results.length} results.`);
    }
    calls.forEach(({ resolve }, index) => {
      resolve(results[index] as Result | PromiseLike<Result>);
    });
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}
