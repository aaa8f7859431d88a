import { type OperationName, type Pet, routes, stringifyJson } from '@animal-store/contract';
import { type ClientOptions, checkApiKey, parseBaseUrl } from './client-options.ts';
import { warnOfDeprecation } from './deprecation.ts';
import { AbortError } from './errors/abort-error.ts';
import { ConnectionError } from './errors/connection-error.ts';
import { createRedact } from './redact.ts';
import { type Answer, readError, readJson } from './response.ts';

/** Options of a single call. */
export interface RequestOptions {
  /** Cancels the call, which then rejects with an `AbortError`. */
  signal?: AbortSignal | undefined;
  /** Header fields to send besides the client's own, which win. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** What each operation of the contract gives on success: one that is missing does not compile. */
export type Results = Pick<
  {
    listPets: Pet[];
    createPet: Pet;
    getPet: Pet;
  },
  OperationName
>;

/** The parts of a request that its operation decides. */
interface RequestParts {
  /** Values for the `:name` segments of the route's path. */
  path?: Readonly<Record<string, string>>;
  /** Query parameters; those that are `undefined` are left out. */
  query?: object;
  /** The body, sent as JSON. */
  body?: unknown;
  /** Header fields; those that are `undefined` are left out. */
  headers?: Readonly<Record<string, string | undefined>>;
}

/** A success, and the response that it came in, whose body has been read. */
interface Result<Data> {
  data: Data;
  response: Response;
}

/** Sends one request of an operation and reads its answer. */
export type SendRequest = <Name extends OperationName>(
  operation: Name,
  parts: RequestParts,
  options?: RequestOptions,
) => Promise<Result<Results[Name]>>;

/**
 * Creates the one way out of the client. The key lives in this closure and in no object, so nothing
 * that inspects or serializes a client finds it.
 *
 * @throws {TypeError} if the options cannot work.
 */
export function createSendRequest(options: ClientOptions): SendRequest {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const { apiKey } = options;
  checkApiKey(apiKey);
  const redact = createRedact(apiKey);
  // Looked up at each call, so that what replaces the global later (a tracer, a test) is used.
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  async function exchange(operation: OperationName, url: string, init: RequestInit) {
    const { signal } = init;
    try {
      signal?.throwIfAborted();
      const response = await fetch(url, init);
      return { response, text: await response.text() } satisfies Answer;
    } catch (cause) {
      throw signal?.aborted
        ? new AbortError(`${operation}: aborted by its signal`, { cause: signal.reason })
        : new ConnectionError(`${operation}: no answer from ${baseUrl}`, { cause });
    }
  }

  return async function sendRequest(operation, parts, { signal, headers } = {}) {
    const { method, path } = routes[operation];
    const init: RequestInit = {
      method,
      headers: buildHeaders(apiKey, parts, headers),
      // The service never redirects. To follow would turn a POST into a GET (RFC 9110, §15.4.3).
      // `error` would say so too, but workerd does not know it.
      redirect: 'manual',
      ...(parts.body !== undefined && { body: stringifyJson(parts.body) }),
      ...(signal !== undefined && { signal }),
    };
    const answer = await exchange(
      operation,
      baseUrl + fillPath(path, parts) + formatQuery(parts),
      init,
    );
    warnOfDeprecation(operation, answer.response.headers);
    if (!answer.response.ok) throw readError(answer, redact);
    return {
      data: readJson(answer, redact) as Results[typeof operation],
      response: answer.response,
    };
  };
}

function buildHeaders(
  apiKey: string,
  parts: RequestParts,
  extra: RequestOptions['headers'],
): Headers {
  const headers = new Headers(extra);
  headers.set('Accept', 'application/json');
  headers.set('Authorization', `Bearer ${apiKey}`);
  if (parts.body !== undefined) headers.set('Content-Type', 'application/json');
  for (const [name, value] of Object.entries(parts.headers ?? {})) {
    if (value !== undefined) headers.set(name, value);
  }
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
