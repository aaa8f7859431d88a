import { adminErrorMessages } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { HttpError } from '../http/http-error.ts';

/**
 * Refuses a query that cannot be decoded, and parameters that the operation does not have. Ignored, a
 * filter that is misspelt, or of another list, would show all that there is.
 */
export const checkQuery: RequestHandler = function refuseUnknownParameters(req, _res, next) {
  const [, text = ''] = /\?(.*)/s.exec(req.url) ?? [];
  if (!isDecodable(text)) {
    return next(
      new HttpError('invalid_request', 'query: expected percent-encoding of valid UTF-8'),
    );
  }
  const query = req.tsRestRoute?.query;
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const isUnknown = Object.keys(req.query).some((name) => !known.includes(name));
  if (!isUnknown) return next();
  // The name is not repeated: it may be anything, a token too.
  next(new HttpError('invalid_request', adminErrorMessages.parameterUnknown(known)));
};

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
  } catch {
    return false;
  }
  // Node reads bytes beyond ASCII as Latin-1.
  return !/[^\x21-\x7e]/.test(text);
}
