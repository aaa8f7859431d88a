import { rateLimitHeaders } from '@animal-store/contract';
import type { Request, RequestHandler, Response } from 'express';
import { appendHeader, setHeader } from '../http/note-headers.ts';
import { send } from '../http/send-response.ts';

const exposedHeaders = [
  ...Object.values(rateLimitHeaders),
  'Link',
  'Location',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'X-Request-Id',
].join(', ');

const allowedHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';

/** How long a browser may cache a preflight, in seconds. Chromium accepts no more. */
const maxAgeSeconds = 7_200;

/** The origins whose pages may call the API; `undefined` for any. */
type Origins = ReadonlySet<string> | undefined;

/**
 * Creates the step that allows web pages of other origins to read responses, by default of every origin.
 * That is safe because browsers do not add bearer tokens by themselves, as they do with cookies.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function allowOrigins(origins: Origins): RequestHandler {
  return function allowOrigin(req, res, next) {
    if (origins !== undefined) appendHeader(res, 'Vary', 'Origin');
    const { origin } = req.headers;
    if (origin !== undefined && isAllowed(origin, origins)) {
      setHeader(res, 'Access-Control-Allow-Origin', origins === undefined ? '*' : origin);
      setHeader(res, 'Access-Control-Expose-Headers', exposedHeaders);
    }
    next();
  };
}

/**
 * Creates the step that answers preflights. Browsers send them without a key, and they do not count; the
 * request that follows does.
 *
 * @param tellQuota sets the headers of the quota.
 */
export function answerPreflight(
  origins: Origins,
  tellQuota: (req: Request, res: Response) => void,
): RequestHandler {
  return function answerPreflightRequest(req, res, next) {
    const { origin, 'access-control-request-method': asked } = req.headers;
    if (req.method !== 'OPTIONS' || origin === undefined || asked === undefined) return next();
    tellQuota(req, res);
    if (isAllowed(origin, origins)) {
      setHeader(res, 'Access-Control-Allow-Methods', 'GET, HEAD, POST');
      setHeader(res, 'Access-Control-Allow-Headers', allowedHeaders);
      setHeader(res, 'Access-Control-Max-Age', String(maxAgeSeconds));
    }
    send(res.status(204));
  };
}

function isAllowed(origin: string, origins: Origins): boolean {
  return origins === undefined || origins.has(origin);
}
