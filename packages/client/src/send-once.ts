import { throwIfAborted } from './errors/abort-error.ts';
import type { CallDetails } from './errors/animal-store-error.ts';
import { ConnectionError } from './errors/connection-error.ts';
import { TimeoutError } from './errors/timeout-error.ts';
import type { FetchFunction } from './http-response.ts';
import type { Pass } from './quota-gate.ts';
import type { Redact } from './redact.ts';
import type { PreparedRequest } from './request.ts';
import type { Answer } from './response.ts';
import { waitFor } from './wait.ts';

interface SendOnceOptions {
  fetch: FetchFunction;
  call: CallDetails;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  redact: Redact;
  /** The right to send the request; it ends with the request. */
  pass: Pass;
}

/**
 * Sends a request once, and reads its answer to the last byte.
 *
 * @throws {TimeoutError} if that takes too long.
 * @throws {ConnectionError} if no complete answer arrives.
 * @throws {AbortError} if the signal aborts.
 */
export async function sendOnce(
  { url, init }: PreparedRequest,
  { fetch, call, timeoutMs, signal, redact, pass }: SendOnceOptions,
): Promise<Answer> {
  // Not `AbortSignal.any`, which is new in Node 20.3 and leaks in some later versions, and not
  // `AbortSignal.timeout`, whose timer cannot be stopped.
  const controller = new AbortController();
  let answer: Answer | undefined;
  let failure: { cause: unknown } | undefined;

  async function exchange() {
    try {
      const response = await fetch(url, { ...init, signal: controller.signal });
      const text = await response.text();
      answer = { response, text };
    } catch (cause) {
      failure = { cause };
    }
    pass.leave(answer);
  }

  function giveUp() {
    controller.abort();
    // A `fetch` of the user's may ignore its signal.
    pass.leave(undefined);
  }

  const exchanged = exchange();
  await waitFor(timeoutMs, signal, exchanged);
  if (answer !== undefined) return answer;
  if (pass.mayGiveUp()) giveUp();
  else void waitFor(pass.maxAgeMs, undefined, exchanged).then(giveUp);

  throwIfAborted(call, signal);
  if (failure === undefined) {
    throw new TimeoutError(`no complete answer within ${timeoutMs} ms`, call);
  }
  throw new ConnectionError(
    `no answer from ${new URL(url).origin}`,
    call,
    redact.cause(failure.cause),
  );
}
