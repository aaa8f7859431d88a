import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { type Clock, systemClock } from './clock.ts';

/**
 * A function that sends several requests in one round trip.
 *
 * @returns one result for each request, in the order of the requests. A result may be a promise, so
 *   that one request can fail alone. If the function itself rejects, all requests of the batch fail.
 */
export type SendBatch<Request, Result> = (
  requests: readonly Request[],
) => Promise<readonly (Result | PromiseLike<Result>)[]>;

export interface BatcherOptions {
  /** The clock that measures `patienceMs`. @default {@link systemClock} */
  readonly clock?: Clock;
  /** The name of the batched work, which traces show. */
  readonly operation: string;
  /** The system that receives the batches, such as a database, which traces show. */
  readonly system: 'postgresql' | 'redis';
  /** The maximum number of requests in one batch. */
  readonly maxSize: number;
  /**
   * The maximum number of batches in flight. Further requests wait until a batch has its results.
   */
  readonly maxInFlight: number;
  /**
   * The maximum time for which a batch counts as in flight. After this time, the next batch is
   * sent, so that slow batches do not delay all requests behind them.
   */
  readonly patienceMs: number;
}

/**
 * The information about a request that the subscribers of `animal-store:batch` receive, such as
 * traces.
 */
export type BatchContext = Pick<BatcherOptions, 'operation' | 'system'>;

const batchChannel: TracingChannel<object, BatchContext> = tracingChannel<object, BatchContext>(
  'animal-store:batch',
);

interface Call<Request, Result> {
  readonly request: Request;
  resolve(result: Result | PromiseLike<Result>): void;
  reject(reason: unknown): void;
}

/**
 * Creates a batcher. While `maxInFlight` batches are in flight, it collects requests, and sends
 * them together when a batch has its results. Without load, a request is sent immediately.
 *
 * The batcher is under load if the last batch had several requests. Then it sends the next batch
 * only after an iteration of the event loop in which no further request has arrived. So requests
 * that arrive close together are in one batch. In a measurement with 64 connections, a batch
 * contained 30 requests instead of 18, which saved a third of Redis's time.
 *
 * A request can only join a batch that has not been sent yet. So no result is older than its
 * request.
 */
export function createBatcher<Request, Result>(
  send: SendBatch<Request, Result>,
  { clock = systemClock, operation, system, maxSize, maxInFlight, patienceMs }: BatcherOptions,
): (request: Request) => Promise<Result> {
  const waiting: Call<Request, Result>[] = [];
  let inFlight = 0;
  let isCollecting = false;
  let isUnderLoad = false;
  // A batch belongs to several requests, so it runs outside of their async contexts. The trace of
  // each request shows the request's own wait, which `batchChannel` publishes.
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  const mustWait = () => isCollecting || inFlight === maxInFlight;

  function sendSoon(): void {
    if (waiting.length === 0 || mustWait()) return;
    if (isUnderLoad) {
      isCollecting = true;
      setImmediate(sendWhenComplete, 0);
    } else {
      sendWaiting();
    }
  }

  /**
   * Sends the waiting requests if none has arrived since the previous iteration of the event loop.
   *
   * @param known how many requests waited at the end of the previous iteration; 0 at first.
   */
  function sendWhenComplete(known: number): void {
    const isComplete = waiting.length === known || waiting.length >= maxSize;
    if (isComplete) sendWaiting();
    else setImmediate(sendWhenComplete, waiting.length);
  }

  function sendWaiting(): void {
    const calls = waiting.splice(0, maxSize);
    isCollecting = false;
    isUnderLoad = calls.length > 1;
    inFlight += 1;
    let isReleased = false;
    function release(): void {
      if (isReleased) return;
      isReleased = true;
      clock.cancel(releaseTimer);
      inFlight -= 1;
      sendSoon();
    }
    const releaseTimer = clock.after(patienceMs, release);
    void sendCalls(calls, send).then(release);
    // If more requests wait than fit into this batch, they are sent in the next batch.
    sendSoon();
  }

  function join(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (!mustWait()) outsideOfRequests(sendSoon);
    });
  }

  return (request) =>
    batchChannel.hasSubscribers
      ? batchChannel.tracePromise(() => join(request), { operation, system })
      : join(request);
}

/** Sends a batch, and settles the promise of each request. Never rejects. */
async function sendCalls<Request, Result>(
  calls: readonly Call<Request, Result>[],
  send: SendBatch<Request, Result>,
): Promise<void> {
  try {
    const results = await send(calls.map(({ request }) => request));
    if (results.length !== calls.length) {
      throw new TypeError(
        `expected ${calls.length} results for a batch of ${calls.length} requests, got ${results.length}`,
      );
    }
    calls.forEach(({ resolve }, index) => {
      resolve(results[index] as Result | PromiseLike<Result>);
    });
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}
