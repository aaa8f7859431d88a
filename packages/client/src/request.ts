import { stringifyJson } from '@animal-store/contract';
import { environment } from './environment.ts';
import type { FetchInit } from './http-response.ts';
import type { HeaderList, Signal } from './platform-types.ts';
import { version } from './version.ts';

/**
 * Header fields by name (case-insensitive): a record, pairs or `Headers`, as `fetch` accepts them.
 * The fields of a call come after the client's fields, and the last value of a name wins. You
 * cannot replace fields that the client itself sets, such as `Authorization`. You can replace
 * `User-Agent` and `X-Retry-Count`, the number of earlier attempts.
 */
export type HeaderFields =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly (readonly string[])[]
  | HeaderList;

/**
 * Additional options for `fetch`, such as `cache`, `keepalive` and `credentials`, `next` of Next.js
 * or `dispatcher` of undici. The options of a call are added to the client's options. You cannot
 * replace options that the client itself sets, such as `method`, `headers` and `signal`.
 */
export type FetchOptions = Readonly<Record<string, unknown>>;

/** Options of a single call. The client's options apply where they are missing. */
export interface CallOptions {
  /** Cancels the call, which then rejects with an `AbortError`, also while it waits. */
  signal?: Signal | undefined;
  /**
   * How long each attempt may take after it is sent, until the last byte of its response:
   * milliseconds.
   */
  timeoutMs?: number | undefined;
  /** How often the call is retried after a temporary failure. */
  maxRetries?: number | undefined;
  /** Additional header fields; `undefined` removes a field of the client. */
  headers?: HeaderFields | undefined;
  /** Additional options for `fetch`, added to the client's options. */
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
   * The name of the path in hooks and errors, such as `/store/orders/{id}`.
   *
   * @default the path without its query
   */
  pathTemplate?: string | undefined;
  /** Query parameters. They replace the parameters of the path; `undefined` removes one. */
  query?: object | undefined;
  /** The body: a JSON value. `undefined` sends no body. */
  body?: unknown;
  /** Sent as `Idempotency-Key`. Without one, a POST or PATCH is repeated only after a 429. */
  idempotencyKey?: string | undefined;
}

/** A request, ready to be sent several times. */
export interface PreparedRequest {
  url: string;
  init: Omit<FetchInit, 'signal'>;
}

interface RequestWithHeaders extends RequestDescription {
  method: string;
  /** How often the request was sent before. */
  attempts: number;
  /**
   * The header fields of the client and of the call. Later ones win, and the client's own fields
   * win over all.
   */
  headers: readonly (object | undefined)[];
}

/**
 * Builds a request.
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
  // Browsers do not send this header: Firefox and Safari would ask for it in the preflight request.
  // Every browser calls itself Mozilla, including its workers.
  const isBrowser = environment.navigator?.userAgent?.startsWith('Mozilla/');
  const userAgent = isBrowser ? undefined : `animal-store-client/${version}`;
  // The count 0 is not sent, so that a browser's preflight request asks for this header only if
  // needed.
  const defaults = { 'User-Agent': userAgent, 'X-Retry-Count': attempts || undefined };
  for (const more of [defaults, ...headers, own]) setAll(fields, more);
  const url = new URL(baseUrl + path);
  // A path with `..` or without a slash must not send the key out of the service.
  if (!url.href.startsWith(`${baseUrl}/`)) throw new TypeError('path: expected one below baseUrl');
  setAll(url.searchParams, query);
  // A form, a file, bytes or a `Map` would silently become `{}` in JSON. All of these have a tag.
  if (body instanceof Object && Symbol.toStringTag in body)
    throw new TypeError('body: expected JSON');
  return {
    url: url.href,
    init: {
      method,
      headers: Object.fromEntries(fields),
      // The service never redirects. Following a redirect would turn a POST into a GET (RFC 9110,
      // §15.4.3). `error` would refuse redirects as well, but workerd does not support it.
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

/**
 * Returns the names and values of a record, a pair, a list of these, or an iterable of pairs such
 * as `Headers`.
 */
function entriesOf(values: object = {}): Iterable<readonly [string, unknown]> {
  if (!Array.isArray(values)) {
    return Symbol.iterator in values ? (values as Headers) : Object.entries(values);
  }
  return typeof values[0] === 'string'
    ? [values as never]
    : values.flatMap((v) => [...entriesOf(v)]);
}
