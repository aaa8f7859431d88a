import type { OperationName } from '@animal-store/contract';
import { createApiKeySource } from './api-key.ts';
import type { Result } from './call.ts';
import { type ClientOptions, parseBaseUrl } from './client-options.ts';
import { createNoticeDeprecation } from './deprecation.ts';
import { readVariable } from './environment.ts';
import { throwIfAborted } from './errors/abort-error.ts';
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
import { type BodyKind, readBody } from './response.ts';
import { retryDelayMs } from './retry-delay.ts';
import { sendOnce } from './send-once.ts';
import { findQuotaGate } from './shared-quota-gates.ts';
import { maxTimerMs, waitFor } from './wait.ts';

/** For a request that costs no quota. */
const freePass: Pass = { maxAgeMs: 0, mayGiveUp: () => true, leave() {} };

/** What to send, and what to make of the answer. */
export interface Operation<Data> extends RequestDescription {
  /** By default the method and the path. */
  operation?: OperationName | 'getRateLimit';
  bodyKind?: BodyKind;
  /** Whether it costs no quota, so that it never waits for any. */
  isFree?: boolean;
  /** Makes the data of a body of that kind; by default the body itself. */
  read?: (body: unknown, headers: HttpHeaders, call: CallDetails) => Data;
}

/** The one way from a client to its service. */
export interface Sender {
  /** What the last answer said about the quota. */
  readonly lastRateLimit: RateLimitState | undefined;
  /**
   * Sends the request of an operation, as often as it takes, and reads its answer.
   *
   * @param describe gives the operation, or throws a `TypeError` for an argument that cannot be sent.
   */
  send<Data>(describe: () => Operation<Data>, options?: CallOptions): Promise<Result<Data>>;
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
    const { method } = call;
    const request = prepareRequest(operation, { method, baseUrl, apiKey, headers });
    const pass = operation.isFree
      ? freePass
      : await findQuotaGate(baseUrl, apiKey).enter({ maxWaitMs, timeoutMs, signal });
    if (pass === undefined) {
      throwIfAborted(call, signal);
      const reason = `not sent, because earlier requests had no answer within ${timeoutMs} ms`;
      throw new TimeoutError(reason, call);
    }
    if ('waitMs' in pass) throw createRefusalError(pass, call);

    call.attempts++;
    const event = eventOf(call);
    tell('onRequest', event);
    const startedAtMs = Date.now();
    const redact = createRedact(apiKey);
    const answer = await sendOnce(request, { fetch, call, redact, pass, timeoutMs, signal });

    const { response } = answer;
    const { status, headers: fields } = response;
    const durationMs = Date.now() - startedAtMs;
    const rateLimit = readRateLimit(fields);
    const facts = { response, requestId: fields.get('X-Request-Id') ?? undefined, rateLimit };
    lastRateLimit = rateLimit ?? lastRateLimit;
    noticeDeprecation(call.operation, fields);
    tell('onResponse', { ...event, ...facts, status, durationMs });
    const body = readBody(answer, operation.bodyKind, { redact, call });
    return { ...facts, data: operation.read?.(body, fields, call) ?? (body as Data) };
  }

  async function repeat<Data>(
    operation: Operation<Data>,
    options: CallOptions,
    call: CallDetails,
  ): Promise<Result<Data>> {
    const { signal, maxRetries = clientOptions.maxRetries ?? 2 } = options;
    const isRepeatable =
      operation.idempotencyKey !== undefined || !/^(?:POST|PATCH)$/i.test(call.method);
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
    throwIfAborted(call, signal);
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

    async send(describe, options = {}) {
      const operation = describe();
      const { method = 'GET', path } = operation;
      if (!path.startsWith('/')) throw new TypeError('path: expected one that begins with a slash');
      // A query may hold what has no place in a log.
      const [pathname] = path.split(/[?#]/);
      const name = operation.operation ?? `${method} ${pathname}`;
      const call = { operation: name, method, url: baseUrl + pathname, attempts: 0 };
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
