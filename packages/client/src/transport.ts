import type { OperationName, Pet } from '@animal-store/contract';
import type { Result } from './call.ts';
import { type ClientOptions, checkApiKey, parseBaseUrl } from './client-options.ts';
import { createNoticeDeprecation } from './deprecation.ts';
import type { AnimalStoreError } from './errors/animal-store-error.ts';
import { RateLimitError } from './errors/rate-limit-error.ts';
import { exchange } from './exchange.ts';
import { createRateLimitGate, type Passer } from './rate-limit-gate.ts';
import { type RateLimitState, readRateLimit } from './rate-limit-state.ts';
import { createRedact } from './redact.ts';
import {
  type PreparedRequest,
  prepareRequest,
  type RequestOptions,
  type RequestParts,
} from './request.ts';
import { readError, readJson } from './response.ts';
import { retryDelayMs } from './retry-delay.ts';
import { maxTimerMs, waitFor } from './wait.ts';

/** What each operation of the contract gives on success: one that is missing does not compile. */
export type Results = Pick<
  {
    listPets: Pet[];
    createPet: Pet;
    getPet: Pet;
  },
  OperationName
>;

/** The one way from a client to its service, and what is known of the quota there. */
export interface Transport {
  readonly rateLimit: RateLimitState | undefined;
  /** Sends the request of an operation, as often as it takes, and reads its answer. */
  send<Name extends OperationName>(
    operation: Name,
    parts: RequestParts,
    options: RequestOptions | undefined,
  ): Promise<Result<Results[Name]>>;
}

/** What the attempts of one call have in common. */
interface Attempts extends Passer {
  operation: OperationName;
  request: PreparedRequest;
  timeoutMs: number;
}

/**
 * Creates the transport. The key lives in this closure and in no object, so nothing that inspects or
 * serializes a client finds it.
 *
 * @throws {TypeError} if the options cannot work.
 */
export function createTransport(clientOptions: ClientOptions): Transport {
  const { apiKey, onResponse, onRetry, waitForReset = true } = clientOptions;
  const baseUrl = parseBaseUrl(clientOptions.baseUrl);
  checkApiKey(apiKey);
  // With room for the jitter: a timer that is too long fires at once.
  const maxRetryAfterMs = Math.min(clientOptions.maxRetryAfterMs ?? 60_000, maxTimerMs / 2);
  const redact = createRedact(apiKey);
  const gate = createRateLimitGate(maxRetryAfterMs);
  const noticeDeprecation = createNoticeDeprecation(clientOptions.onDeprecation);
  // Looked up at each call, so that what replaces the global later (a tracer, a test) is used.
  const fetch = clientOptions.fetch ?? ((url, init) => globalThis.fetch(url, init));
  let lastRateLimit: RateLimitState | undefined;

  async function attemptOnce<Data>(attempts: Attempts, attempt: number): Promise<Result<Data>> {
    const { operation, request, timeoutMs, signal } = attempts;
    const answer = await exchange(request, { fetch, operation, timeoutMs, signal, redact });
    const { response } = answer;
    const { headers } = response;
    const requestId = headers.get('X-Request-Id') ?? undefined;
    const rateLimit = readRateLimit(headers);
    lastRateLimit = rateLimit ?? lastRateLimit;
    // Before the hooks, which may throw.
    const error = response.ok ? undefined : readError(answer, redact);
    if (waitForReset && error instanceof RateLimitError) attempts.waited = gate.close(error);
    noticeDeprecation(operation, headers);
    onResponse?.({ operation, attempt, response, requestId, rateLimit });
    if (error !== undefined) throw error;
    const data = readJson(answer, operation === 'listPets' ? 'array' : 'object', redact) as Data;
    return { data, response, requestId, rateLimit };
  }

  return {
    get rateLimit() {
      return lastRateLimit;
    },

    async send(operation, parts, options = {}) {
      const { signal, headers } = options;
      const timeoutMs = options.timeoutMs ?? clientOptions.timeoutMs ?? 30_000;
      const maxRetries = options.maxRetries ?? clientOptions.maxRetries ?? 2;
      const request = prepareRequest({ baseUrl, apiKey }, operation, { parts, headers });
      const waits = { waited: undefined, waitsLeft: maxRetries + 1 };
      const attempts: Attempts = { operation, request, timeoutMs, signal, ...waits };
      for (let attempt = 1; ; attempt++) {
        // What the gate refuses is refused for good.
        const leaveGate = await gate.pass(attempts);
        try {
          return await attemptOnce<Results[typeof operation]>(attempts, attempt).finally(() =>
            leaveGate?.(signal?.aborted ?? false),
          );
        } catch (error) {
          const delayMs =
            // So that `NaN`, from a setting that is none, is no retry and not one after the other.
            attempt <= maxRetries ? retryDelayMs(error, attempt, maxRetryAfterMs) : undefined;
          if (delayMs === undefined) throw error;
          onRetry?.({ operation, attempt, error: error as AnimalStoreError, delayMs });
          await waitFor(delayMs, signal);
        }
      }
    },
  };
}
