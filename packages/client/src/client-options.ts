import { apiVersion } from '@animal-store/contract';
import type { DeprecationEvent, ResponseEvent, RetryEvent } from './events.ts';

/** How a client reaches the service, and how patient it is. */
export interface ClientOptions {
  /** The address of the service, up to and including `/v1`. */
  baseUrl: string | URL;
  /** The API key. It is sent to `baseUrl`, and shown nowhere else. */
  apiKey: string;
  /**
   * What sends the requests, in place of the global `fetch`: for a proxy, for logs, for tests.
   *
   * @default globalThis.fetch
   */
  fetch?: FetchFunction | undefined;
  /**
   * How long each attempt may take, in milliseconds, until the last byte of its answer.
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
   * The longest `Retry-After` that is worth waiting for, in milliseconds. A call that is asked to
   * wait longer fails at once.
   *
   * @default 60_000
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * Whether a 429 also holds back the other calls of this client until the quota resets. To ask
   * again and again in the meantime would get the key banned.
   *
   * @default true
   */
  waitForReset?: boolean | undefined;
  /** Shows every answer, also of attempts that failed. What it throws fails the call. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Shows every failed attempt that will be repeated. What it throws fails the call. */
  onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Hears of each deprecated operation once, in place of the warning of the process. */
  onDeprecation?: ((event: DeprecationEvent) => void) | undefined;
}

/** As much of `fetch` as the client uses. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Checks the address.
 *
 * @returns it without its trailing slash, ready for a path.
 * @throws {TypeError} that says what is wrong with it.
 */
export function parseBaseUrl(baseUrl: string | URL): string {
  const expected = `baseUrl: expected an http(s) address that ends with /${apiVersion}, without user name, password, query and fragment`;
  if (!URL.canParse(baseUrl)) throw new TypeError(expected);
  const url = new URL(baseUrl);
  const { protocol, host, pathname } = url;
  const path = pathname.replace(/\/$/, '');
  // Not `href`: a password has no place in a message.
  const address = `${protocol}//${host}${path}`;
  // Nothing else is in it: no user name, no password, no query, no fragment.
  const isPlain = url.href === `${protocol}//${host}${pathname}`;
  if (!/^https?:$/.test(protocol) || !isPlain || !path.endsWith(`/${apiVersion}`)) {
    throw new TypeError(`${expected}, got ${address}`);
  }
  return address;
}

/**
 * Checks that a key can be sent.
 *
 * @throws {TypeError} that never quotes the key: errors end up in logs.
 */
export function checkApiKey(apiKey: string): void {
  // Also keeps `fetch` from quoting the whole header, key and all, in an error of its own.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError(
      'apiKey: expected visible ASCII characters, at least one, and no space or line break',
    );
  }
}
