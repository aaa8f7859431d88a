import { rateLimitHeaders } from '@animal-store/contract';
import { appendHeader, setHeader } from '@animal-store/http-server';
import type { Request, Response } from 'express';

const exposedHeaders = [
  ...Object.values(rateLimitHeaders),
  'Link',
  'Location',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'X-Request-Id',
  'WWW-Authenticate',
  'Allow',
].join(', ');

/**
 * The request headers that the response to a preflight allows, if the preflight asks for none or
 * its list of headers is invalid.
 */
const ownHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';

/** Matches a list of header names that are separated by commas (RFC 9110, §5.1). */
const fieldNames = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * The longest list of header names that a preflight response repeats. Even pages that send tracing
 * headers need shorter lists.
 */
const maxFieldNamesLength = 1_024;

/** The number of seconds for which a browser may cache a preflight. Chromium uses at most 7,200. */
const maxAgeSeconds = 7_200;

/** The origins of the web pages that may call the API. `undefined` means all origins. */
type Origins = ReadonlySet<string> | undefined;

/**
 * Creates the function that lets web pages of other origins read responses. By default, all origins
 * may read them. This is safe because browsers do not add bearer tokens by themselves, as they do
 * with cookies.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function allowOrigins(origins: Origins): (req: Request, res: Response) => void {
  return function allowOrigin({ headers: { origin } }, res) {
    if (origins !== undefined) appendHeader(res, 'Vary', 'Origin');
    if (origin !== undefined && isAllowed(origin, origins)) {
      addAccess(res, origins === undefined ? '*' : origin);
    }
  };
}

/**
 * Creates the function that lets web pages of other origins read responses that caches may store.
 * If all origins may read them, each response has the CORS headers, even if its request has no
 * `Origin`. A cache may send the same response to a web page later.
 *
 * @see https://fetch.spec.whatwg.org/#cors-protocol-and-http-caches
 */
export function allowOriginsInCaches(origins: Origins): (req: Request, res: Response) => void {
  if (origins !== undefined) return allowOrigins(origins);
  return function allowAllOrigins(_req, res) {
    addAccess(res, '*');
  };
}

function addAccess(res: Response, origin: string): void {
  setHeader(res, 'Access-Control-Allow-Origin', origin);
  setHeader(res, 'Access-Control-Expose-Headers', exposedHeaders);
}

/** Tells whether a request is a CORS preflight. Browsers send preflights without an API key. */
export function isPreflight({ method, headers }: Request): boolean {
  const { origin, 'access-control-request-method': requestedMethod } = headers;
  return method === 'OPTIONS' && origin !== undefined && requestedMethod !== undefined;
}

/** Adds the CORS headers to the response to a preflight. */
export function allowPreflight(req: Request, res: Response, origins: Origins): void {
  appendHeader(res, 'Vary', 'Access-Control-Request-Headers');
  if (!isAllowed(req.headers.origin ?? '', origins)) return;
  setHeader(res, 'Access-Control-Allow-Methods', 'GET, HEAD, POST');
  setHeader(res, 'Access-Control-Allow-Headers', allowedHeaders(req));
  setHeader(res, 'Access-Control-Max-Age', String(maxAgeSeconds));
}

/**
 * Returns the request headers that a preflight response allows: all headers that the preflight asks
 * for, such as `traceparent`. Allowing all of them is safe, because browsers add no credentials to
 * a request by themselves. The value `*` is not used, because it would not include `Authorization`.
 */
function allowedHeaders({ headers }: Request): string {
  const requested = headers['access-control-request-headers'] ?? '';
  return requested.length <= maxFieldNamesLength && fieldNames.test(requested)
    ? requested
    : ownHeaders;
}

function isAllowed(origin: string, origins: Origins): boolean {
  return origins === undefined || origins.has(origin);
}
