import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/** Refuses HTTP/1.1 requests without exactly one Host (RFC 9112, §3.2). */
export function requireHost(): RequestHandler {
  return function refuseHostless(req, _res, next) {
    if (req.httpVersion !== '1.1' || req.headersDistinct['host']?.length === 1) return next();
    throw new ApiError('invalid_request', 'Host: expected exactly one');
  };
}
