import type { OperationName } from '@animal-store/contract';
import { createApiKeySource } from './api-key-source.ts';
import type { Result } from './call-promise.ts';
import { checkOptions } from './check-options.ts';
import { type ClientOptions, parseBaseUrl } from './client-options.ts';
import { createReportDeprecation } from './deprecation.ts';
import { describeFailedConnection } from './describe-failed-connection.ts';
import { environment } from './environment.ts';
import { throwIfAborted } from './errors/abort-error.ts';
import { AnimalStoreError, type CallDetails } from './errors/animal-store-error.ts';
import { AuthenticationError } from './errors/authentication-error.ts';
import { ConnectionError } from './errors/connection-error.ts';
import type { AnyAnimalStoreError } from './errors/is-animal-store-error.ts';
import { RateLimitError } from './errors/rate-limit-error.ts';
import { TimeoutError } from './errors/timeout-error.ts';
import { createReportEvent, type ReportCallEvent } from './hooks.ts';
import type { HttpHeaders } from './http-headers.ts';
import { createQuotaGate, type Wait } from './quota-gate.ts';
import { type RateLimitState, readRateLimit } from './read-rate-limit.ts';
import { createRedact } from './redact.ts';
import { type CallOptions, prepareRequest, type RequestDescription } from './request.ts';
import { type Answer, type BodyKind, readBody, readText } from './response.ts';
import { retryDelayMs } from './retry-delay.ts';
import { findShared } from './shared-between-clients.ts';
import { maxTimerMs, waitFor } from './wait.ts';

/** An operation: its request, and how to read its response. */
export interface Operation<Data> extends RequestDescription {
  /** The name of the operation, by default the method and the path. */
  operation?: OperationName | 'getRateLimit';
  bodyKind?: BodyKind;
  /**
   * Converts the parsed body to the data of the call. By default, the data is the parsed body
   * itself.
   */
  read?: (body: unknown, headers: HttpHeaders, call: CallDetails) => Data;
}

/**
 * A function that sends the request of an operation, with retries, and reads its response.
 *
 * @param describe returns the operation, or throws a `TypeError` for an argument that cannot be
 *   sent.
 */
export type Send = <Data>(
  describe: () => Operation<Data>,
  options?: CallOptions,
) => Promise<Result<Data>>;

/**
 * Creates the function that sends requests, and retries after temporary failures.
 *
 * @param onRateLimit receives the quota state of each response.
 * @throws {TypeError} if the options are invalid.
 */
export function createSend(
  clientOptions: ClientOptions,
  onRateLimit: (state: RateLimitState) => void,
): Send {
  // Each environment variable is read only if its option is missing, because Deno asks the user for
  // permission to read it.
  const env = environment.process?.env;
  const baseUrl = parseBaseUrl(clientOptions.baseUrl ?? env?.ANIMAL_STORE_BASE_URL);
  const [getKey, renewKey] = createApiKeySource(clientOptions.apiKey ?? env?.ANIMAL_STORE_API_KEY);
  const maxRetryAfterMs = clientOptions.maxRetryAfterMs ?? 70_000;
  const reportEvent = createReportEvent(clientOptions);
  const reportDeprecation = createReportDeprecation(clientOptions, reportEvent);

  async function findKey(call: CallDetails, signal: AbortSignal | undefined): Promise<string> {
    throwIfAborted(call, signal, `attempt ${call.attempts + 1}`);
    const key = getKey();
    await waitFor(maxTimerMs, signal, (end) => key.then(end, end));
    throwIfAborted(call, signal, 'apiKey()');
    try {
      return await key;
    } catch (cause) {
      throw new AnimalStoreError('apiKey() failed', call, cause);
    }
  }

  return async <Data>(describe: () => Operation<Data>, options: CallOptions = {}) => {
    const operation = describe();
    const { method = 'GET', path, idempotencyKey, bodyKind } = operation;
    // The path in errors and events has no query, because a query may contain data that does not
    // belong in logs.
    const [pathname = ''] = String(path).split(/[?#]/);
    const { operation: name = `${method} ${pathname}`, pathTemplate = pathname } = operation;
    const details = { operation: name, method, pathTemplate, url: baseUrl + pathname };
    const call = { ...details, attempts: 0 };
    const reportCallEvent: ReportCallEvent = (hook, more) =>
      reportEvent(hook, { ...details, attempt: call.attempts, ...more } as never);
    const {
      signal,
      maxRetries = clientOptions.maxRetries ?? 2,
      timeoutMs = clientOptions.timeoutMs ?? 30_000,
      headers: ownHeaders,
      fetchOptions,
    } = checkOptions(options);
    // Whether the service may receive the same request twice (RFC 9110, §9.2.2). Otherwise, the
    // call is retried only after a 429, because the service did not execute that request.
    const isRepeatable = idempotencyKey !== undefined || !/^(POST|PATCH)$/i.test(method);

    /** Sends the request once, calls the hooks, and reads the response. */
    async function attempt(apiKey: string): Promise<Result<Data>> {
      const { url, init } = prepareRequest(
        { ...operation, ...call, headers: [clientOptions.headers, ownHeaders].flat() },
        baseUrl,
        apiKey,
      );
      // A call of `getRateLimit` costs no quota, so it must not wait for the quota. Each such call
      // gets a new gate, which knows no limits yet.
      const gate =
        name === 'getRateLimit' ? createQuotaGate() : findShared().findGate(baseUrl, apiKey);
      const redact = createRedact(apiKey);
      let sentAtMs = Number.NaN;
      let awaited = 'responses to earlier requests';

      async function exchange(abort: AbortSignal): Promise<Answer> {
        call.attempts++;
        awaited = 'the response';
        reportCallEvent('onRequest', {});
        sentAtMs = performance.now();
        // The global `fetch` is read for each request, so that later replacements apply, for
        // example by a tracer or a test.
        const { fetch = globalThis.fetch } = clientOptions;
        const more = { ...clientOptions.fetchOptions, ...fetchOptions };
        const response = await fetch(url, { ...more, ...init, signal: abort });
        return { response, text: await readText(response) };
      }

      function onWait(wait: Wait): void {
        if (wait.reason !== 'queue') {
          awaited = wait.reason === 'ban' ? 'the end of the ban' : 'the reset of the quota';
        }
        reportCallEvent('onWait', wait);
      }

      const outcome = await gate(exchange, { maxRetryAfterMs, timeoutMs, signal, onWait });
      const { answer, failure, refusal } = outcome;
      if (answer === undefined) {
        throwIfAborted(call, signal, awaited);
        if (refusal) throw new RateLimitError(refusal, call);
        if (failure) {
          const cause = redact(failure.cause);
          throw new ConnectionError(describeFailedConnection(baseUrl, cause), call, cause);
        }
        throw new TimeoutError(
          sentAtMs >= 0
            ? `no complete response within ${timeoutMs} ms`
            : `the request was not sent: no response to earlier requests within ${Math.max(timeoutMs, maxRetryAfterMs)} ms`,
          call,
        );
      }

      const { response } = answer;
      const { status, headers: fields } = response;
      const rateLimit = readRateLimit(fields);
      const facts = { response, requestId: fields.get('X-Request-Id') ?? undefined, rateLimit };
      if (rateLimit) onRateLimit(rateLimit);
      reportDeprecation(name, fields);
      reportCallEvent('onResponse', {
        ...facts,
        status,
        durationMs: Math.ceil(performance.now() - sentAtMs),
      });
      const body = readBody(answer, bodyKind, { redact, call });
      return { ...facts, data: operation.read?.(body, fields, call) ?? (body as Data) };
    }

    const startedAtMs = performance.now();
    let renewal: Promise<boolean> | undefined;
    let retries = 0;
    for (;;) {
      const { attempts } = call;
      let apiKey = '';
      try {
        apiKey = await findKey(call, signal);
        return await attempt(apiKey);
      } catch (reason) {
        if (!(reason instanceof AnimalStoreError)) throw reason;
        const error = reason as AnyAnimalStoreError;
        let delayMs: number | undefined;
        if (call.attempts > attempts) {
          if (error instanceof AuthenticationError && !renewal) {
            renewal = renewKey(apiKey).catch(() => false);
            await waitFor(maxTimerMs, signal, (end) => renewal?.then(end));
            // After an abort, the loop continues without a retry, because `findKey` throws the
            // AbortError.
            if (signal?.aborted || (await renewal)) delayMs = 0;
          } else if ((isRepeatable || error instanceof RateLimitError) && retries++ < maxRetries) {
            delayMs = retryDelayMs(error, retries, maxRetryAfterMs);
          }
        }
        if (delayMs === undefined) {
          reportCallEvent('onError', {
            error,
            durationMs: Math.ceil(performance.now() - startedAtMs),
          });
          throw error;
        }
        if (!signal?.aborted) reportCallEvent('onRetry', { error, delayMs });
        await waitFor(delayMs, signal);
      }
    }
  };
}
