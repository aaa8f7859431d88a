import { stringifyJson } from '@animal-store/contract';
import { userAgent } from './environment.ts';
import type { FetchInit } from './http-response.ts';

/** Options of a single call; the client's own apply where they are left out. */
export interface CallOptions {
  /** Cancels the call, which then rejects with an `AbortError`, also while it waits. */
  signal?: AbortSignal | undefined;
  /** How long each attempt may take, in milliseconds, until the last byte of its answer. */
  timeoutMs?: number | undefined;
  /** How often the call is tried again if it fails for the moment. */
  maxRetries?: number | undefined;
  /** Header fields to send besides those of the client, which win. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A request of an operation that this version of the client does not know. */
export interface RequestDescription {
  /**
   * The HTTP method.
   *
   * @default 'GET'
   */
  method?: string | undefined;
  /** The path below `baseUrl`, such as `/store/orders`. */
  path: string;
  /** Query parameters; those that are `undefined` are left out. */
  query?: object | undefined;
  /** The body, sent as JSON. */
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
  /** Those of the client and of the call; later ones win, and the client's own over all. */
  headers: (object | undefined)[];
}

/**
 * Puts a request together.
 *
 * @throws {TypeError} for a header or a body that cannot be sent.
 */
export function prepareRequest(
  { method, path, query, headers, body, idempotencyKey }: RequestWithHeaders,
  baseUrl: string,
  apiKey: string,
): PreparedRequest {
  const own = {
    Accept: 'application/json',
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': body === undefined ? undefined : 'application/json',
    'Idempotency-Key': idempotencyKey,
  };
  const fields = new Headers();
  for (const more of [{ 'User-Agent': userAgent() }, ...headers, own]) setAll(fields, more);
  const search = new URLSearchParams();
  setAll(search, query);
  return {
    url: baseUrl + path + (`${search}` && `?${search}`),
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

/** Sets what is not `undefined`. */
function setAll(target: Headers | URLSearchParams, values: object = {}): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) target.set(name, String(value));
  }
}
