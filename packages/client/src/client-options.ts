import type { ApiKey } from './api-key-source.ts';
import type {
  DeprecationEvent,
  ErrorEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from './events.ts';
import type { FetchFunction } from './http-response.ts';
import type { Address } from './platform-types.ts';
import type { FetchOptions, HeaderFields } from './request.ts';

/**
 * A function that the client calls with an event. If the function throws or rejects, the client
 * logs the failure and continues.
 */
export type Hook<Event> = (event: Event) => unknown;

/**
 * The logger of a client: `console`, or a logger with the same methods. The first argument of each
 * method is a text, such as `Animal Store Response listPets attempt=1 status=200 durationMs=12`.
 * The second argument is the event that the hook receives.
 */
export interface Logger {
  /** Receives each request and each response. */
  debug(message: string, event: unknown): void;
  /**
   * Receives each failed attempt that will be retried, and each call that waits before it is sent.
   */
  warn(message: string, event: unknown): void;
  /** Receives each call that failed, and each hook that failed. */
  error(message: string, event?: unknown): void;
}

/** The options of a client: the service, the API key, timeouts, retries and hooks. */
export interface ClientOptions {
  /**
   * The address of the service, up to and including `/v1`.
   *
   * @default the environment variable `ANIMAL_STORE_BASE_URL`, if the runtime has environment
   *   variables
   */
  baseUrl?: string | Address | undefined;
  /**
   * The API key, or a function that returns it. The function is called before the first request. If
   * the service refuses the key with 401, the client calls the function again and repeats the
   * request. So keys can be rotated without a restart.
   *
   * @default the environment variable `ANIMAL_STORE_API_KEY`, if the runtime has environment
   *   variables
   */
  apiKey?: ApiKey | undefined;
  /**
   * The function that sends the requests, instead of the global `fetch`. Use it to send requests
   * through a proxy, to log them, or to test without a network.
   *
   * @default globalThis.fetch
   */
  fetch?: FetchFunction | undefined;
  /**
   * Additional options that the client passes to `fetch` with each request, such as `{ cache:
   * 'no-store' }`.
   */
  fetchOptions?: FetchOptions | undefined;
  /**
   * Header fields to send with each request: one object, or a list of objects. If several objects
   * contain the same field, the last one wins.
   */
  headers?: HeaderFields | readonly (HeaderFields | undefined)[] | undefined;
  /**
   * The timeout of each attempt in milliseconds. It begins when the request is sent, and ends with
   * the last byte of the response.
   *
   * @default 30_000
   */
  timeoutMs?: number | undefined;
  /**
   * How often a call is retried after a temporary failure.
   *
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * How long an attempt may wait for the quota to reset, or for `Retry-After`, in milliseconds. A
   * call that would have to wait longer fails immediately. With 0, no call waits for a reset.
   *
   * With the default, a call waits for the minute window to reset. It waits for the day window only
   * if that window resets within 70 seconds. A call may also wait for the responses to earlier
   * requests: at most this long, or `timeoutMs` if that is longer.
   *
   * @default 70_000
   */
  maxRetryAfterMs?: number | undefined;
  /** Called for each request, before it is sent. */
  onRequest?: Hook<RequestEvent> | undefined;
  /** Called for each response, including error responses. */
  onResponse?: Hook<ResponseEvent> | undefined;
  /**
   * Called for each call that waits before it is sent: for the quota to reset, for a ban to end, or
   * for the responses to earlier requests.
   */
  onWait?: Hook<WaitEvent> | undefined;
  /** Called for each failed attempt that will be retried. */
  onRetry?: Hook<RetryEvent> | undefined;
  /** Called for each call that fails, after its last attempt. */
  onError?: Hook<ErrorEvent> | undefined;
  /** Called once for each deprecated operation. Without this hook, the process prints a warning. */
  onDeprecation?: Hook<DeprecationEvent> | undefined;
  /**
   * Receives each request, response, wait, retry and failure. Pass `console` to print all of them.
   */
  logger?: Logger | undefined;
}

/**
 * Checks the address of the service.
 *
 * @returns the address without its trailing slash, so that a path can be appended.
 * @throws {TypeError} whose message never quotes the address, because it may contain a password.
 */
export function parseBaseUrl(baseUrl: string | Address = ''): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl).href : '';
  // The version `v1` is written as a string in this file, because an import from the contract would
  // make bundles larger. A test compares the string with the contract.
  const address = /^https?:\/\/[^@?#]+\/v1(?=\/?$)/.exec(url)?.[0];
  if (!address) {
    const fault = !baseUrl
      ? 'missing'
      : /^https?:(?!.*\/v\d|.*[@?#])/.test(url)
        ? 'expected /v1 at its end'
        : 'expected http(s)://.../v1';
    throw new TypeError(`baseUrl (or ANIMAL_STORE_BASE_URL): ${fault}`);
  }
  return address;
}
