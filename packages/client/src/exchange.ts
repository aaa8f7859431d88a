import type { FetchFunction } from './client-options.ts';
import { ConnectionError } from './errors/connection-error.ts';
import { TimeoutError } from './errors/timeout-error.ts';
import type { Redact } from './redact.ts';
import type { PreparedRequest } from './request.ts';
import type { Answer } from './response.ts';
import { maxTimerMs, untilAborted } from './wait.ts';

interface ExchangeOptions {
  fetch: FetchFunction;
  /** What the messages of errors begin with. */
  operation: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  redact: Redact;
}

/**
 * Sends a request once, and reads its answer to the last byte.
 *
 * @throws {TimeoutError} if that takes too long.
 * @throws {ConnectionError} if no complete answer arrives.
 * @throws {AbortError} if the signal aborts.
 */
export async function exchange(
  { url, init }: PreparedRequest,
  { fetch, operation, timeoutMs, signal, redact }: ExchangeOptions,
): Promise<Answer> {
  // Neither `AbortSignal.any` (new in Node 20.3, and leaking in some later ones) nor
  // `AbortSignal.timeout`, whose timer nobody can stop. And no trust in `fetch` to heed its signal.
  const controller = new AbortController();
  return untilAborted<Answer>(signal, (resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TimeoutError(`${operation}: no complete answer within ${timeoutMs} ms`)),
      Math.min(timeoutMs, maxTimerMs),
    );
    send().then(resolve, (cause: unknown) =>
      reject(
        new ConnectionError(`${operation}: no answer from ${new URL(url).origin}`, {
          cause: redact.cause(cause),
        }),
      ),
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  });

  async function send(): Promise<Answer> {
    const response = await fetch(url, { ...init, signal: controller.signal });
    return { response, text: await response.text() };
  }
}
