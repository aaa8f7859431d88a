import { type OperationName, routes } from '@animal-store/contract';
import { stringifyJson } from './exact-json.ts';

/** Options of a single call; the client's own apply where they are left out. */
export interface RequestOptions {
  /** Cancels the call, which then rejects with an `AbortError`, also while it waits. */
  signal?: AbortSignal | undefined;
  /** How long each attempt may take, in milliseconds, until the last byte of its answer. */
  timeoutMs?: number | undefined;
  /** How often the call is tried again if it fails for the moment. */
  maxRetries?: number | undefined;
  /** Header fields to send besides the client's own, which win. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The parts of a request that its operation decides. */
export interface RequestParts {
  /** Values for the `:name` segments of the route's path. */
  path?: Readonly<Record<string, string>>;
  /** Query parameters; those that are `undefined` are left out. */
  query?: object;
  /** The body, sent as JSON. */
  body?: unknown;
  /** Sent as `Idempotency-Key`. */
  idempotencyKey?: string;
}

/** A request, ready to be sent as often as it takes. */
export interface PreparedRequest {
  url: string;
  init: RequestInit;
}

/**
 * Puts a request together.
 *
 * @throws {TypeError} for a header or a body that cannot be sent.
 */
export function prepareRequest(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  operation: OperationName,
  { parts, headers }: { parts: RequestParts; headers: RequestOptions['headers'] },
): PreparedRequest {
  const { method, path } = routes[operation];
  return {
    url: baseUrl + fillPath(path, parts) + formatQuery(parts),
    init: {
      method,
      headers: buildHeaders(apiKey, parts, headers),
      // The service never redirects. To follow would turn a POST into a GET (RFC 9110, §15.4.3).
      // `error` would say so too, but workerd does not know it.
      redirect: 'manual',
      ...(parts.body !== undefined && { body: stringifyJson(parts.body) }),
    },
  };
}

function buildHeaders(
  apiKey: string,
  { body, idempotencyKey }: RequestParts,
  extra: RequestOptions['headers'],
): Headers {
  const headers = new Headers(extra);
  headers.set('Accept', 'application/json');
  headers.set('Authorization', `Bearer ${apiKey}`);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
  return headers;
}

function fillPath(path: string, { path: values = {} }: RequestParts): string {
  return path.replace(/:(\w+)/g, (_segment, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}

function formatQuery({ query = {} }: RequestParts): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? '' : `?${search}`;
}
