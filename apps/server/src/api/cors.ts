import { rateLimitHeaders } from '@animal-store/contract';
import type { Request, Response } from 'express';
import { appendHeader, setHeader } from '../http/note-headers.ts';

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

/** What is allowed if a preflight does not ask for headers, or not for valid ones. */
const ownHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';

/** Names of fields (RFC 9110, §5.1) with commas between them. */
const fieldNames = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/** More than a page with the headers of its tracing needs. Nothing longer is sent back. */
const maxFieldNamesLength = 1_024;

/** How long a browser may cache a preflight, in seconds. Chromium accepts no more. */
const maxAgeSeconds = 7_200;

/** The origins whose pages may call the API; `undefined` for any. */
type Origins = ReadonlySet<string> | undefined;

/**
 * Creates what allows web pages of other origins to read responses, by default of every origin.
 * That is safe because browsers do not add bearer tokens by themselves, as they do with cookies.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function allowOrigins(origins: Origins): (req: Request, res: Response) => void {
  return function allowOrigin({ headers: { origin } }, res) {
    if (origins !== undefined) appendHeader(res, 'Vary', 'Origin');
    if (origin !== undefined && isAllowed(origin, origins)) {
      setHeader(res, 'Access-Control-Allow-Origin', origins === undefined ? '*' : origin);
      setHeader(res, 'Access-Control-Expose-Headers', exposedHeaders);
    }
  };
}

/** Whether a browser asks what a page may send. It does so without a key. */
export function isPreflight({ method, headers }: Request): boolean {
  const { origin, 'access-control-request-method': asked } = headers;
  return method === 'OPTIONS' && origin !== undefined && asked !== undefined;
}

/** Sets the headers of the answer to a preflight. */
export function allowPreflight(req: Request, res: Response, origins: Origins): void {
  appendHeader(res, 'Vary', 'Access-Control-Request-Headers');
  if (!isAllowed(req.headers.origin ?? '', origins)) return;
  setHeader(res, 'Access-Control-Allow-Methods', 'GET, HEAD, POST');
  setHeader(res, 'Access-Control-Allow-Headers', allowedHeaders(req));
  setHeader(res, 'Access-Control-Max-Age', String(maxAgeSeconds));
}

/**
 * The headers that a preflight asks for: any, such as a page's own and `traceparent`. There is nothing to
 * protect, as browsers add no credentials to a request by themselves. `*` would leave out `Authorization`.
 */
function allowedHeaders({ headers }: Request): string {
  const asked = headers['access-control-request-headers'] ?? '';
  return asked.length <= maxFieldNamesLength && fieldNames.test(asked) ? asked : ownHeaders;
}

function isAllowed(origin: string, origins: Origins): boolean {
  return origins === undefined || origins.has(origin);
}
