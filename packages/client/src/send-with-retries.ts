import type { OperationName } from '@animal-store/contract';
import { createApiKeySource } from './api-key.ts';
import type { Result } from './call.ts';
import { type ClientOptions, parseBaseUrl } from './client-options.ts';
import { createNoticeDeprecation } from './deprecation.ts';
import { readVariable } from './environment.ts';
import { AbortError } from './errors/abort-error.ts';
import { AnimalStoreError, type CallDetails } from './errors/animal-store-error.ts';
import { AuthenticationError } from './errors/authentication-error.ts';
import type { AnyAnimalStoreError } from './errors/is-animal-store-error.ts';
import { RateLimitError } from './errors/rate-limit-error.ts';
import { TimeoutError } from './errors/timeout-error.ts';
import type { CallEvent } from './events.ts';
import { createTell } from './hooks.ts';
import type { HttpHeaders } from './http-response.ts';
import type { Pass } from './quota-gate.ts';
import { type RateLimitState, readRateLimit } from './rate-limit.ts';
import { createRedact } from './redact.ts';
import { createRefusalError } from './refusal-error.ts';
import { type CallOptions, prepareRequest, type RequestDescription } from './request.ts';
import { type BodyKind, readError, readJson } from './response.ts';
import { retryDelayMs } from './retry-delay.ts';
import { sendOnce } from './send-once.ts';
import { findQuotaGate } from './shared-quota-gates.ts';
import { maxTimerMs, waitFor } from './wait.ts';

/** How long a request goes on at least whose answer the quota gate needs. */
const minLifeMs = 30_000;

/** For a request that costs no quota. */
const freePass: Pass = { mayGiveUp: () => true, leave() {} };

/** What to send, and what to make of the answer. */
interface Operation<Data> extends RequestDescription {
  operation: OperationName | (string & {});
  method: string;
  bodyKind: BodyKind;
  /** Whether it costs no quota, so that it never waits for any. */
  isFree?: boolean;
  /** Makes the data of a body of that kind; by default the body itself. */
  read?: (body: unknown, headers: HttpHeaders, call: CallDetails) => Data;
}

/** The one way from a client to its service. */
export interface Sender {
  /** What the last answer said about the quota. */
  readonly lastRateLimit: RateLimitState | undefined;
  /** Sends the request of an operation, as often as it takes, and reads its answer. */
  send<Data>(operation: Operation<Data>, options?: CallOptions): Promise<Result<Data>>;
}

/**
 * Creates what sends requests, and repeats those that failed for the moment.
 *
 * @throws {TypeError} if the options cannot work.
 */
export function createSender(clientOptions: ClientOptions): Sender {
  const baseUrl = parseBaseUrl(clientOptions.baseUrl ?? readVariable('ANIMAL_STORE_BASE_URL'));
  const apiKeys = createApiKeySource(clientOptions.apiKey ?? readVariable('ANIMAL_STORE_API_KEY'));
  // With room for the jitter: a timer that is too long fires at once.
  const maxWaitMs = Math.min(clientOptions.maxRetryAfterMs ?? 60_000, maxTimerMs / 2);
  const tell = createTell(clientOptions);
  const noticeDeprecation = createNoticeDeprecation(clientOptions, tell);
  // Looked up at each call, so that what replaces the global later (a tracer, a test) is used.
  const fetch = clientOptions.fetch ?? ((url, init) => globalThis.fetch(url, init));
  let lastRateLimit: RateLimitState | undefined;

  /** Sends the request once, tells the hooks, and reads the answer. */
  async function attempt<Data>(
    operation: Operation<Data>,
    { signal, ...options }: CallOptions,
    { call, apiKey }: { call: CallDetails; apiKey: string },
  ): Promise<Result<Data>> {
    const timeoutMs = options.timeoutMs ?? clientOptions.timeoutMs ?? 30_000;
    const headers = [clientOptions.headers, options.headers];
    const request = prepareRequest(operation, { baseUrl, apiKey, headers });
    const maxAgeMs = Math.max(timeoutMs, minLifeMs);
    const pass = operation.isFree
      ? freePass
      : await findQuotaGate(baseUrl, apiKey).enter({ maxWaitMs, timeoutMs, maxAgeMs, signal });
    if (pass === undefined) {
      if (signal?.aborted) throw abortError(call, signal);
      const reason = `not sent, because earlier requests had no answer within ${timeoutMs} ms`;
      throw new TimeoutError(reason, call);
    }
    if ('waitMs' in pass) throw createRefusalError(pass, call);

    call.attempts++;
    const event = eventOf(call);
    tell('onRequest', event);
    const startedAtMs = Date.now();
    const redact = createRedact(apiKey);
    const limits = { timeoutMs, maxAgeMs, signal };
    const answer = await sendOnce(request, { fetch, call, redact, pass, ...limits });

    const { response } = answer;
    const { status, headers: fields } = response;
    const durationMs = Date.now() - startedAtMs;
    const requestId = fields.get('X-Request-Id') ?? undefined;
    const rateLimit = readRateLimit(fields);
    lastRateLimit = rateLimit ?? lastRateLimit;
    noticeDeprecation(call.operation, fields);
    const facts = { status, response, durationMs, requestId, rateLimit };
    tell('onResponse', { ...event, ...facts });
    if (!response.ok) throw readError(answer, { redact, call });
    const body = readJson(answer, operation.bodyKind, { redact, call });
    const data = operation.read?.(body, fields, call) ?? (body as Data);
    return { data, response, requestId, rateLimit };
  }

  async function repeat<Data>(
    operation: Operation<Data>,
    options: CallOptions,
    call: CallDetails,
  ): Promise<Result<Data>> {
    const { signal, maxRetries = clientOptions.maxRetries ?? 2 } = options;
    const { method, idempotencyKey } = operation;
    const isRepeatable = idempotencyKey !== undefined || !/^(?:POST|PATCH)$/i.test(method);
    let renewals = 0;
    let denied: RateLimitError | undefined;
    for (;;) {
      const apiKey = await findKey(call, signal);
      const { attempts } = call;
      try {
        return await attempt(operation, options, { call, apiKey });
      } catch (error) {
        if (!(error instanceof AnimalStoreError)) throw error;
        // Nothing was sent. After a 429 the service's own words are better than ours.
        if (call.attempts === attempts)
          throw error instanceof RateLimitError ? (denied ?? error) : error;
        if (error instanceof RateLimitError) denied = error;
        let delayMs: number | undefined;
        if (error instanceof AuthenticationError && renewals === 0) {
          renewals++;
          if (await apiKeys.renew(apiKey).catch(() => false)) delayMs = 0;
        } else if (call.attempts - renewals <= maxRetries) {
          delayMs = retryDelayMs(error, call.attempts - renewals, { maxWaitMs, isRepeatable });
        }
        if (delayMs === undefined) throw error;
        tell('onRetry', { ...eventOf(call), error: error as AnyAnimalStoreError, delayMs });
        await waitFor(delayMs, signal);
      }
    }
  }

  async function findKey(call: CallDetails, signal: AbortSignal | undefined): Promise<string> {
    const key = apiKeys.get();
    await waitFor(undefined, signal, key);
    if (signal?.aborted) throw abortError(call, signal);
    try {
      return await key;
    } catch (cause) {
      throw new AnimalStoreError('the function apiKey failed', call, cause);
    }
  }

  return {
    get lastRateLimit() {
      return lastRateLimit;
    },

    async send(operation, options = {}) {
      const { method, path } = operation;
      // A query may hold what has no place in a log.
      const url = baseUrl + path.replace(/[?#].*/s, '');
      const call = { operation: operation.operation, method, url, attempts: 0 };
      const startedAtMs = Date.now();
      try {
        return await repeat(operation, options, call);
      } catch (error) {
        if (error instanceof AnimalStoreError) {
          const durationMs = Date.now() - startedAtMs;
          tell('onError', { ...eventOf(call), error: error as AnyAnimalStoreError, durationMs });
        }
        throw error;
      }
    },
  };
}

function eventOf({ attempts, ...details }: CallDetails): CallEvent {
  return { ...details, attempt: attempts };
}

function abortError(call: CallDetails, signal: AbortSignal | undefined): AbortError {
  return new AbortError('aborted by its signal', call, signal?.reason);
}
