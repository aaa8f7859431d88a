import type { HttpHeaders } from './http-headers.ts';
import type { Signal } from './platform-types.ts';

/**
 * The part of a response that the client uses. The global `Response` has these members. The
 * `Response` of another `fetch`, such as undici's, has them too, although other members of its type
 * differ.
 */
export interface HttpResponse {
  /** Whether the status is from 200 to 299. */
  readonly ok: boolean;
  /** The HTTP status. It is 0 if a browser hides a redirect. */
  readonly status: number;
  /** The reason phrase. It is empty in HTTP/2. */
  readonly statusText: string;
  /** The header fields of the response. */
  readonly headers: HttpHeaders;
  /** The body as a stream. Some implementations of `fetch` have none. */
  readonly body?: unknown;
  /**
   * Reads the body as text, which works only once. The client has already done this for each
   * response that it returns.
   */
  text(): Promise<string>;
}

/** The options that the client passes to `fetch` along with the address. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** The header fields. Their names are in lower case. */
  headers: Record<string, string>;
  /** The body of the request, as JSON text. */
  body?: string;
  /** The redirect mode, which keeps `fetch` from following redirects. */
  redirect: 'manual';
  /** The signal that aborts when the call ends, for example after its timeout. */
  signal: Signal;
}

/** A function that sends a request: the global `fetch`, or a function with the same arguments. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<HttpResponse>;
