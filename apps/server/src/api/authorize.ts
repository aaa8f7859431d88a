import { errorMessages, type Scope } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';
import { authorizedTwice, isAuthorizedTwice } from '../http/repeated-authorization.ts';
import type { ApiKey } from '../keys/api-key.ts';

const realm = 'Bearer realm="animal-store"';

const howToAuthorize = 'Send your API key as "Authorization: Bearer <API_KEY>".';

/** A credential of the scheme Bearer, whatever is wrong with it. */
const anyBearer = /^bearer(?:\s|$)/i;

/** The scope that a key lacks for the operation of a request. Unknown paths and methods need none. */
export function missingScope(key: ApiKey, { tsRestRoute }: Request): Scope | undefined {
  const scope = tsRestRoute?.metadata?.scope;
  return scope === undefined || key.scopes.includes(scope) ? undefined : scope;
}

/** Refuses a request without a valid key, with a suspended one, or whose key may not do this. */
export const authorize: RequestHandler = function authorize(req, res, next) {
  const { apiKey, suspendedKey } = res.locals;
  if (apiKey !== undefined) {
    const scope = missingScope(apiKey, req);
    return scope === undefined ? next() : next(forbidden(scope));
  }
  if (suspendedKey !== undefined) {
    return next(new HttpError('key_suspended', errorMessages.key_suspended));
  }
  next(unauthorized(req));
};

/** The 403 of RFC 6750, §3.1. */
function forbidden(scope: Scope): HttpError {
  const challenge = `${realm}, error="insufficient_scope", scope="${scope}"`;
  return new HttpError('insufficient_scope', errorMessages.insufficient_scope(scope), {
    headers: { 'WWW-Authenticate': challenge },
  });
}

/** The 401 for a request without a valid key: why, and the challenge that fits (RFC 6750, §3). */
function unauthorized(req: Request): HttpError {
  const { authorization = '' } = req.headers;
  if (isAuthorizedTwice(req)) {
    return refuse(authorizedTwice, `${realm}, error="invalid_request"`);
  }
  // §3.1: no error code without a credential of this scheme.
  if (authorization === '') return refuse(howToAuthorize, realm);
  if (!anyBearer.test(authorization)) {
    // Nothing of it is shown, because it may be a key without its scheme.
    return refuse(`Authorization: expected the scheme Bearer. ${howToAuthorize}`, realm);
  }
  // Wrong, unknown, expired and revoked keys get the same response, so that guessing learns nothing.
  return refuse(errorMessages.unauthorized, `${realm}, error="invalid_token"`);
}

function refuse(message: string, challenge: string): HttpError {
  return new HttpError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } });
}
