import { rateLimitHeaders } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import type { Quotas } from '../quotas/quotas.ts';
import { tellNetworkQuota } from './enforce-quota.ts';

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
 * Allows web pages of other origins to call the API, by default of every origin. That is safe because
 * browsers do not add bearer tokens by themselves, as they do with cookies.
 *
 * @param origins the only origins allowed, or `undefined` for any.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(origins: ReadonlySet<string> | undefined): RequestHandler {
  return function allowOrigins(req, res, next) {
    if (origins !== undefined) res.vary('Origin');
    const origin = req.get('Origin');
    if (origin === undefined || (origins !== undefined && !origins.has(origin))) return next();
    res.setHeader('Access-Control-Allow-Origin', origins === undefined ? '*' : origin);
    res.setHeader('Access-Control-Expose-Headers', exposedHeaders);
    next();
  };
}

/**
 * Responds to preflights. Browsers send them without a key, and they do not count; the request that
 * follows does.
 */
export function preflight(quotas: Quotas): RequestHandler {
  return function answerPreflight(req, res, next) {
    const isPreflight =
      req.method === 'OPTIONS' &&
      req.get('Origin') !== undefined &&
      req.get('Access-Control-Request-Method') !== undefined;
    if (!isPreflight) return next();
    tellNetworkQuota(quotas, req, res);
    if (res.hasHeader('Access-Control-Allow-Origin')) {
      res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST');
      res.setHeader('Access-Control-Allow-Headers', allowedHeaders);
      res.setHeader('Access-Control-Max-Age', String(maxAgeSeconds));
    }
    res.status(204).end();
  };
}
