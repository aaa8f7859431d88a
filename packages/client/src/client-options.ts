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
 * A function that receives an event. If it throws or rejects, the client logs that and continues.
 */
export type Hook<Event> = (event: Event) => unknown;

/**
 * The logger of a client: `console`, or a logger with the same methods. A message contains the
 * facts, like `Animal Store Response listPets attempt=1 status=200 durationMs=12`. The second
 * argument is the event that the hook receives.
 */
export interface Logger {
  /** Receives each request and each response. */
  debug(message: string, event: unknown): void;
  /** Receives each attempt that will be repeated, and each call that waits before it is sent. */
  warn(message: string, event: unknown): void;
  /** Receives each call that failed, and each hook that failed. */
  error(message: string, event?: unknown): void;
}

/** The connection of a client to the service, and its limits. */
export interface ClientOptions {
  /**
   * The address of the service, up to and including `/v1`.
   *
   * @default the environment variable `ANIMAL_STORE_BASE_URL`, where there is an environment
   */
  baseUrl?: string | Address | undefined;
  /**
   * The API key, or a function that gives it. The function is called before the first request, and
   * once more when the service refuses the key with 401; the request is then sent again. So keys can
   * be rotated without a restart.
   *
   * @default the environment variable `ANIMAL_STORE_API_KEY`, where there is an environment
   */
  apiKey?: ApiKey | undefined;
  /**
   * The function that sends the requests, instead of the global `fetch`: for a proxy, for logs, for
   * tests.
   *
   * @default globalThis.fetch
   */
  fetch?: FetchFunction | undefined;
  /**
   * Additional options that `fetch` receives with each request, such as `{ cache: 'no-store' }`.
   */
  fetchOptions?: FetchOptions | undefined;
  /**
   * Header fields to send with each request. If several objects have the same field, the last one
   * wins.
   */
  headers?: HeaderFields | readonly (HeaderFields | undefined)[] | undefined;
  /**
   * How long each attempt may take after it is sent, in milliseconds, until the last byte of its
   * response. The wait before it is sent does not count.
   *
   * @default 30_000
   */
  timeoutMs?: number | undefined;
  /**
   * How often a call with a temporary failure is retried.
   *
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * How long an attempt may wait for the quota to reset, or for `Retry-After`, in milliseconds. A
   * call that would have to wait longer fails at once; with 0, no call waits for a reset. The
   * default is longer than a minute window, and shorter than most waits for a day window. While
   * earlier requests have no response, a call waits this long, or `timeoutMs` if that is longer.
   *
   * @default 70_000
   */
  maxRetryAfterMs?: number | undefined;
  /** Called for each request, before it is sent. */
  onRequest?: Hook<RequestEvent> | undefined;
  /** Called for each response, also for a failure. */
  onResponse?: Hook<ResponseEvent> | undefined;
  /**
   * Called for each call that waits for the quota, the end of a ban, or responses to earlier
   * requests.
   */
  onWait?: Hook<WaitEvent> | undefined;
  /** Called for each failed attempt that will be repeated. */
  onRetry?: Hook<RetryEvent> | undefined;
  /** Called for each call that failed after its last attempt. */
  onError?: Hook<ErrorEvent> | undefined;
  /** Called once for each deprecated operation, instead of the warning of the process. */
  onDeprecation?: Hook<DeprecationEvent> | undefined;
  /** Receives each request, response, retry and failure. Pass `console` to see them all. */
  logger?: Logger | undefined;
}

/**
 * Checks the address.
 *
 * @returns the address without its trailing slash, ready for a path.
 * @throws {TypeError} that never quotes the address, because it may contain a password.
 */
export function parseBaseUrl(baseUrl: string | Address = ''): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl).href : '';
  // The version is a literal, which is smaller in a bundle. A test compares it with the contract's.
  const [address] = /^https?:\/\/[^@?#]+\/v1(?=\/?$)/.exec(url) ?? [];
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
