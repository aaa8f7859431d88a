import { stringifyJson } from '@animal-store/contract';
import { environment } from './environment.ts';
import type { FetchInit } from './http-response.ts';
import type { HeaderList, Signal } from './platform-types.ts';
import { version } from './version.ts';

/**
 * Header fields by name, in any form that `fetch` accepts: a record, pairs or `Headers`. Names are
 * case-insensitive.
 *
 * The fields of a call replace the client's fields of the same name. You cannot replace fields that
 * the client itself sets, such as `Authorization`. The exceptions are `User-Agent` and
 * `X-Retry-Count`, which contains the number of earlier attempts.
 */
export type HeaderFields =
  | Readonly<Record<string, string | readonly string[] | null | undefined>>
  | readonly (readonly string[])[]
  | HeaderList;

/**
 * Additional options for `fetch`, such as `cache`, `keepalive` and `credentials`, or `next` in
 * Next.js. With `dispatcher`, pass undici's own `fetch` as well, because the global `fetch` of Node
 * may refuse the dispatcher of another undici version. The options of a call are added to the
 * client's options. You cannot replace options that the client itself sets, such as `method`,
 * `headers` and `signal`.
 */
export type FetchOptions = Readonly<Record<string, unknown>>;

/** Options of a single call. A missing option has the value from the client's options. */
export interface CallOptions {
  /**
   * A signal that cancels the call at any time, also while the call waits. The call then rejects
   * with an `AbortError`.
   */
  signal?: Signal | undefined;
  /**
   * The timeout of each attempt in milliseconds. It begins when the request is sent, and ends with
   * the last byte of the response.
   */
  timeoutMs?: number | undefined;
  /** How often the call is retried after a temporary failure. */
  maxRetries?: number | undefined;
  /**
   * Additional header fields. The values `undefined` and `null` remove a field that the client's
   * options contain.
   */
  headers?: HeaderFields | undefined;
  /** Additional options for `fetch`, added to the client's options. */
  fetchOptions?: FetchOptions | undefined;
}

/** A request to an operation that this version of the client does not know. */
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
   * The path with the names of its parameters, for hooks and errors, such as `/store/orders/{id}`.
   *
   * @default the path without its query
   */
  pathTemplate?: string | undefined;
  /**
   * Query parameters. They replace parameters of the same name in `path`. The values `undefined`
   * and `null` remove a parameter.
   */
  query?: object | undefined;
  /** The body, as a JSON value. With `undefined`, the request has no body. */
  body?: unknown;
  /**
   * The value of the `Idempotency-Key` header. A POST or PATCH without this key is retried only
   * after a 429.
   */
  idempotencyKey?: string | undefined;
}

/** A request as `fetch` receives it. */
export interface PreparedRequest {
  url: string;
  init: Omit<FetchInit, 'signal'>;
}

interface RequestWithHeaders extends RequestDescription {
  method: string;
  /** The number of attempts of this call that were sent before this attempt. */
  attempts: number;
  /**
   * The header fields of the client and of the call. Later fields replace earlier ones. The fields
   * that the client itself sets replace all others.
   */
  headers: readonly (object | undefined)[];
}

/**
 * Builds the request for `fetch`.
 *
 * @throws {TypeError} for a path, a header, a body or an idempotency key that cannot be sent.
 */
export function prepareRequest(
  { method, path, query, headers, body, idempotencyKey, attempts }: RequestWithHeaders,
  baseUrl: string,
  apiKey: string,
): PreparedRequest {
  if (idempotencyKey !== undefined && !/^[!-~]{1,255}$/.test(idempotencyKey))
    throw new TypeError('idempotencyKey: expected 1 to 255 visible ASCII characters');
  const own = {
    Accept: 'application/json',
    Authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  const fields = new Headers();
  // Browsers set their own `User-Agent`. In Firefox and Safari, a field of the client would need
  // the server's permission in a CORS preflight request. The user agent of every browser begins
  // with Mozilla, also in workers.
  const isBrowser = environment.navigator?.userAgent?.startsWith('Mozilla/');
  const userAgent = isBrowser ? undefined : `animal-store-client/${version}`;
  // The first attempt sends no `X-Retry-Count`. Otherwise, every request of a browser would need
  // the server's permission for this header in a CORS preflight request.
  const defaults = { 'User-Agent': userAgent, 'X-Retry-Count': attempts || undefined };
  for (const more of [defaults, ...headers, own]) setAll(fields, more);
  const url = new URL(baseUrl + path);
  // A path that begins with `..` or has no slash could send the API key to another host or path.
  if (!url.href.startsWith(`${baseUrl}/`))
    throw new TypeError('path: expected a path below baseUrl, such as /pets');
  setAll(url.searchParams, query);
  // `JSON.stringify` would turn a form, a file, bytes or a `Map` into `{}` without an error. All of
  // these have a `Symbol.toStringTag`.
  if (body instanceof Object && Symbol.toStringTag in body)
    throw new TypeError('body: expected a JSON value');
  return {
    url: url.href,
    init: {
      method,
      headers: Object.fromEntries(fields),
      // The mode `manual` keeps `fetch` from following redirects, because a redirect would turn a
      // POST into a GET (RFC 9110, §15.4.3). The mode `error` would refuse redirects as well, but
      // workerd does not support this mode.
      redirect: 'manual',
      ...(body !== undefined && { body: stringifyJson(body) }),
    },
  };
}

function setAll(target: Headers | URLSearchParams, values: object | undefined): void {
  for (const [name, value] of entriesOf(values)) {
    if (value == null) target.delete(name);
    else target.set(name, String(value));
  }
}

/**
 * Returns header fields or query parameters as pairs of a name and a value. Accepts a record, a
 * pair, a list of records and pairs, or an iterable of pairs such as `Headers`.
 */
function entriesOf(values: object = {}): Iterable<readonly [string, unknown]> {
  if (!Array.isArray(values)) {
    return Symbol.iterator in values ? (values as Headers) : Object.entries(values);
  }
  return typeof values[0] === 'string'
    ? [values as never]
    : values.flatMap((v) => [...entriesOf(v)]);
}
