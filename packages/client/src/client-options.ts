import { apiVersion } from '@animal-store/contract';

/** How a client reaches the service. */
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
  const expected = `baseUrl: expected an http(s) address that ends with /${apiVersion}`;
  if (!URL.canParse(baseUrl)) throw new TypeError(expected);
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`${expected}, got the protocol ${url.protocol}`);
  }
  // Not quoted in the message: a password has no place there.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError(`${expected}, without user name, password, query and fragment`);
  }
  const path = url.pathname.replace(/\/$/, '');
  if (!path.endsWith(`/${apiVersion}`)) {
    throw new TypeError(`${expected}, got ${url.href}`);
  }
  return url.origin + path;
}

/**
 * Checks that a key can be sent.
 *
 * @throws {TypeError} that never quotes the key: errors end up in logs.
 */
export function checkApiKey(apiKey: string): void {
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new TypeError('apiKey: expected a string that is not empty');
  }
  // Also keeps `fetch` from quoting the whole header, key and all, in an error of its own.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError(
      'apiKey: expected visible ASCII characters only, found a space, line break or other',
    );
  }
}
