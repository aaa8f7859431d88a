import { deprecations, formatLinks, parseInt64, stringifyJson } from '@animal-store/contract';
import type { FetchInit, HttpResponse } from '../http-response.ts';
import type { HeaderList } from '../platform-types.ts';

/** A request that a test service received. */
export interface TestRequest {
  /** The HTTP method. */
  method: string;
  /** The path below `baseUrl`, including its query. */
  path: string;
  /** The header fields of the request. */
  headers: HeaderList;
  /** The body of the request, as text. */
  body: string | undefined;
}

/** Converts the arguments of `fetch` to a `TestRequest`. */
export function describeRequest(path: string, { method, headers, body }: FetchInit): TestRequest {
  return { method, path, headers: new Headers(headers), body };
}

export function respond(
  { method }: TestRequest,
  status: number,
  body: unknown,
  headers: Record<string, string>,
): HttpResponse {
  const text = method === 'HEAD' ? '' : stringifyJson(body);
  const fields = new Headers({ 'Content-Type': 'application/json; charset=utf-8', ...headers });
  // In jsdom, `Response` is missing, so a plain object takes its place.
  if (typeof Response !== 'undefined')
    return new Response(text || null, { status, headers: fields });
  const ok = status >= 200 && status < 300;
  return { ok, status, statusText: '', headers: fields, text: async () => text };
}

/** Returns the headers of the deprecated operation `getPet`, or none for other operations. */
export function deprecationHeaders({ method, path }: TestRequest): Record<string, string> {
  const [, petId] = /^\/pets\/([^/?]+)/.exec(path) ?? [];
  if (petId === undefined || !['GET', 'HEAD'].includes(method)) return {};
  const query = parseInt64(petId) === undefined ? '' : `?ids=${petId}`;
  const { deprecatedAt, sunsetAt } = deprecations.getPet;
  return {
    Deprecation: `@${deprecatedAt.getTime() / 1000}`,
    Sunset: sunsetAt.toUTCString(),
    Link: formatLinks([
      { url: 'https://animal-store.test/docs#deprecation', rel: 'deprecation' },
      { url: `https://animal-store.test/v1/pets${query}`, rel: 'successor-version' },
    ]),
  };
}
