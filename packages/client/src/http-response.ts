import type { HttpHeaders } from './http-headers.ts';
import type { Signal } from './platform-types.ts';

/**
 * The part of a response that the client reads. The global `Response` has it, and so has the
 * `Response` of another `fetch`, such as undici's, whose type differs in other members.
 */
export interface HttpResponse {
  /** Whether the status is from 200 to 299. */
  readonly ok: boolean;
  /** The HTTP status; 0 if a browser hides a redirect. */
  readonly status: number;
  /** The reason phrase; empty in HTTP/2. */
  readonly statusText: string;
  /** The header fields. */
  readonly headers: HttpHeaders;
  /** Reads the body. A body can be read once, and the client has already read it. */
  text(): Promise<string>;
}

/** The options that the client passes to `fetch` besides the address. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** The header fields, in lower case. */
  headers: Record<string, string>;
  /** The body: JSON. */
  body?: string;
  /** Redirects are not followed. */
  redirect: 'manual';
  /** The signal, which aborts when the call is over, for any reason. */
  signal: Signal;
}

/** The function that sends a request: the global `fetch`, or one that takes the same arguments. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<HttpResponse>;
