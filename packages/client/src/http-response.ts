import type { HttpHeaders } from './http-headers.ts';
import type { Signal } from './platform-types.ts';

/**
 * As much of a response as the client reads. The global `Response` is one, and so is the `Response`
 * of another `fetch`, such as undici's, whose type differs in what the client does not use.
 */
export interface HttpResponse {
  /** Whether the status is one from 200 to 299. */
  readonly ok: boolean;
  /** The HTTP status; 0 if a browser hides a redirect. */
  readonly status: number;
  /** The reason phrase; empty in HTTP/2. */
  readonly statusText: string;
  /** The header fields. */
  readonly headers: HttpHeaders;
  /** Reads the body. It can be read once, and the client has done so when you see the response. */
  text(): Promise<string>;
}

/** What the client passes to `fetch` besides the address. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** The header fields, in lower case. */
  headers: Record<string, string>;
  /** The body: JSON. */
  body?: string;
  /** Redirects are not followed. */
  redirect: 'manual';
  /** Aborts when the call is over, whatever ended it. */
  signal: Signal;
}

/**
 * What sends a request: the global `fetch`, or one that takes the same arguments.
 */
export type FetchFunction = (url: string, init: FetchInit) => Promise<HttpResponse>;
