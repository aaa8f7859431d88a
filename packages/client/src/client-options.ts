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

/** A function that is told of an event. If it throws or rejects, that is logged and nothing else. */
export type Hook<Event> = (event: Event) => unknown;

/**
 * Where a client writes what it does: `console`, or a logger with the same methods. A message has the facts,
 * like `Animal Store Response listPets attempt=1 status=200 durationMs=12`, and comes with the event that the
 * hook gets.
 */
export interface Logger {
  /** Is told of each request and each answer. */
  debug(message: string, event: unknown): void;
  /** Is told of each attempt that will be repeated, and of each call that waits before it is sent. */
  warn(message: string, event: unknown): void;
  /** Is told of each call that failed, and of each hook that failed. */
  error(message: string, event?: unknown): void;
}

/** How a client reaches the service, and how patient it is. */
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
   * What sends the requests, in place of the global `fetch`: for a proxy, for logs, for tests.
   *
   * @default globalThis.fetch
   */
  fetch?: FetchFunction | undefined;
  /** What `fetch` is told besides with each request, such as `{ cache: 'no-store' }`. */
  fetchOptions?: FetchOptions | undefined;
  /** Header fields to send with each request; of several objects, the later ones win. */
  headers?: HeaderFields | readonly (HeaderFields | undefined)[] | undefined;
  /**
   * How long each attempt may take once it is sent, in milliseconds, until the last byte of its answer.
   * Waiting before that does not count.
   *
   * @default 30_000
   */
  timeoutMs?: number | undefined;
  /**
   * How often a call that failed for the moment is tried again.
   *
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * How long an attempt may wait for the quota to reset, or for what `Retry-After` asks, in
   * milliseconds. A call that would have to wait longer fails at once; with 0 no call waits for that.
   * The default covers what a minute's quota can ask for, and never what a day's does. While earlier
   * requests have no answer, a call waits as long, or `timeoutMs` if that is longer.
   *
   * @default 70_000
   */
  maxRetryAfterMs?: number | undefined;
  /** Is told of each request, before it is sent. */
  onRequest?: Hook<RequestEvent> | undefined;
  /** Is told of each answer, also of one that is a failure. */
  onResponse?: Hook<ResponseEvent> | undefined;
  /** Is told of each call that waits for the quota, the end of a ban, or answers to earlier requests. */
  onWait?: Hook<WaitEvent> | undefined;
  /** Is told of each failed attempt that will be repeated. */
  onRetry?: Hook<RetryEvent> | undefined;
  /** Is told of each call that failed for good. */
  onError?: Hook<ErrorEvent> | undefined;
  /** Is told of each deprecated operation once, in place of the warning of the process. */
  onDeprecation?: Hook<DeprecationEvent> | undefined;
  /** Is told of each request, answer, retry and failure. Pass `console` to see them all. */
  logger?: Logger | undefined;
}

/**
 * Checks the address.
 *
 * @returns it without its trailing slash, ready for a path.
 * @throws {TypeError} that never quotes the address, for it may hold a password.
 */
export function parseBaseUrl(baseUrl: string | Address = ''): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl).href : '';
  // The version is written out, which is smaller: a test compares it with the contract's.
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
