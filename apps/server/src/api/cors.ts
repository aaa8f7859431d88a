import { rateLimitHeaders } from '@animal-store/contract';
import type { Request, Response } from 'express';

const exposedHeaders = [
  ...Object.values(rateLimitHeaders),
  'Link',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'X-Request-Id',
].join(', ');

const allowedHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';

/** How long a browser may cache a preflight, in seconds. Chromium accepts no more. */
const maxAgeSeconds = 7_200;

/**
 * Creates the steps that allow web pages of other origins to call the API, by default of every origin.
 * That is safe because browsers do not add bearer tokens by themselves, as they do with cookies.
 *
 * @param origins the only origins allowed, or `undefined` for any.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function createCors(origins: ReadonlySet<string> | undefined) {
  return {
    allowOrigin(req: Request, res: Response): void {
      if (origins !== undefined) res.vary('Origin');
      const { origin } = req.headers;
      if (origin === undefined || (origins !== undefined && !origins.has(origin))) return;
      res.setHeader('Access-Control-Allow-Origin', origins === undefined ? '*' : origin);
      res.setHeader('Access-Control-Expose-Headers', exposedHeaders);
    },

    /** Browsers send preflights without a key, and they do not count; the request that follows does. */
    isPreflight(req: Request): boolean {
      return (
        req.method === 'OPTIONS' &&
        req.headers.origin !== undefined &&
        req.headers['access-control-request-method'] !== undefined
      );
    },

    answerPreflight(res: Response): void {
      if (res.hasHeader('Access-Control-Allow-Origin')) {
        res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST');
        res.setHeader('Access-Control-Allow-Headers', allowedHeaders);
        res.setHeader('Access-Control-Max-Age', String(maxAgeSeconds));
      }
      res.status(204).end();
    },
  };
}
