import { stringifyJson } from '@animal-store/contract';
import { environment } from './environment.ts';
import type { FetchInit } from './http-response.ts';
import type { HeaderList, Signal } from './platform-types.ts';
import { version } from './version.ts';

/**
 * Header fields by name, in any case: a record, pairs or `Headers`, as `fetch` takes them. Those of a call come after those of the client, and the last of a
 * name wins. What the client itself sets, such as `Authorization`, cannot be replaced, except for `User-Agent`
 * and `X-Retry-Count`, which tells how often the call was sent before.
 */
export type HeaderFields =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly (readonly string[])[]
  | HeaderList;

/**
 * What `fetch` is told besides, such as `cache`, `keepalive` and `credentials`, `next` of Next.js or
 * `dispatcher` of undici. Those of a call are added to those of the client. What the client itself sets,
 * such as `method`, `headers` and `signal`, cannot be replaced.
 */
export type FetchOptions = Readonly<Record<string, unknown>>;

/** Options of a single call; the client's own apply where they are left out. */
export interface CallOptions {
  /** Cancels the call, which then rejects with an `AbortError`, also while it waits. */
  signal?: Signal | undefined;
  /** How long each attempt may take once it is sent, until the last byte of its answer: milliseconds. */
  timeoutMs?: number | undefined;
  /** How often the call is tried again if it fails for the moment. */
  maxRetries?: number | undefined;
  /** Header fields to send in addition to those of the client; `undefined` removes one of these. */
  headers?: HeaderFields | undefined;
  /** What `fetch` is told besides, in addition to what the client says. */
  fetchOptions?: FetchOptions | undefined;
}

/** A request of an operation that this version of the client does not know. */
export interface RequestDescription {
  /**
   * The HTTP method.
   *
   * @default 'GET'
   */
  method?: string | undefined;
  /** The path below `baseUrl`, such as `/store/orders/7?full=true`. */
  path: string;
  /**
   * What hooks and errors call the path, such as `/store/orders/{id}`.
   *
   * @default the path without its query
   */
  pathTemplate?: string | undefined;
  /** Query parameters. They replace those of the path; `undefined` removes one. */
  query?: object | undefined;
  /** The body: a value that JSON has, sent as JSON. `undefined` sends none. */
  body?: unknown;
  /** Sent as `Idempotency-Key`. Without one, a POST or PATCH is repeated only after a 429. */
  idempotencyKey?: string | undefined;
}

/** A request, ready to be sent as often as it takes. */
export interface PreparedRequest {
  url: string;
  init: Omit<FetchInit, 'signal'>;
}

interface RequestWithHeaders extends RequestDescription {
  method: string;
  /** How often it was sent before. */
  attempts: number;
  /** Those of the client and of the call; later ones win, and the client's own over all. */
  headers: readonly (object | undefined)[];
}

/**
 * Puts a request together.
 *
 * @throws {TypeError} for a path, a header or a body that cannot be sent.
 */
export function prepareRequest(
  { method, path, query, headers, body, idempotencyKey, attempts }: RequestWithHeaders,
  baseUrl: string,
  apiKey: string,
): PreparedRequest {
  const own = {
    Accept: 'application/json',
    Authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  const fields = new Headers();
  // Not from a browser: Firefox and Safari would ask for it in the preflight request. Every browser calls
  // itself Mozilla, its workers included.
  const isBrowser = environment.navigator?.userAgent?.startsWith('Mozilla/');
  const userAgent = isBrowser ? undefined : `animal-store-client/${version}`;
  // 0 is left out, so that the preflight request of a browser asks for it only when it must.
  const defaults = { 'User-Agent': userAgent, 'X-Retry-Count': attempts || undefined };
  for (const more of [defaults, ...headers, own]) setAll(fields, more);
  const url = new URL(baseUrl + path);
  // Neither `..` nor a missing slash leads the key out of the service.
  if (!url.href.startsWith(`${baseUrl}/`)) throw new TypeError('path: expected one below baseUrl');
  setAll(url.searchParams, query);
  // Of a form, a file, bytes or a `Map`, JSON would make `{}` without a word. All of these have a tag.
  if (body instanceof Object && Symbol.toStringTag in body)
    throw new TypeError('body: expected JSON');
  return {
    url: url.href,
    init: {
      method,
      headers: Object.fromEntries(fields),
      // The service never redirects. To follow would turn a POST into a GET (RFC 9110, §15.4.3).
      // `error` would say so too, but workerd does not know it.
      redirect: 'manual',
      ...(body !== undefined && { body: stringifyJson(body) }),
    },
  };
}

function setAll(target: Headers | URLSearchParams, values: object | undefined): void {
  for (const [name, value] of entriesOf(values)) {
    if (value === undefined) target.delete(name);
    else target.set(name, String(value));
  }
}

/** Gives the names and values of a record, a pair, a list of these, or what iterates pairs, as `Headers` do. */
function entriesOf(values: object = {}): Iterable<readonly [string, unknown]> {
  if (!Array.isArray(values)) {
    return Symbol.iterator in values ? (values as Headers) : Object.entries(values);
  }
  return typeof values[0] === 'string'
    ? [values as never]
    : values.flatMap((v) => [...entriesOf(v)]);
}
