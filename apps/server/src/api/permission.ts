import { errorMessages, type Scope } from '@animal-store/contract';
import type { Request } from 'express';
import { HttpError } from '../http/http-error.ts';
import { isRepeated } from '../http/repeated-header.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { Caller } from './identify-caller.ts';

/** A credential of the scheme Bearer, whatever is wrong with it. */
const anyBearer = /^bearer(?:\s|$)/i;

const realm = 'Bearer realm="animal-store"';

const sentTwice = 'Authorization: expected once, got it several times.';

const howToAuthorize = 'Send your API key as "Authorization: Bearer <API_KEY>".';

/** The scope that a key lacks for the operation of a request. Unknown paths and methods need none. */
export function missingScope(key: ApiKey, { tsRestRoute }: Request): Scope | undefined {
  const scope = tsRestRoute?.metadata?.scope;
  return scope === undefined || key.scopes.includes(scope) ? undefined : scope;
}

/** The 401 or 403 of a caller who has no valid key, a suspended one, or one that may not do this. */
export function missingPermission(
  { apiKey, refusedKey }: Caller,
  req: Request,
): HttpError | undefined {
  if (apiKey !== undefined) {
    const scope = missingScope(apiKey, req);
    return scope === undefined ? undefined : forbidden(scope);
  }
  if (refusedKey?.refusal === 'suspended') {
    return new HttpError('key_suspended', errorMessages.key_suspended);
  }
  return unauthorized(req);
}

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
  if (isRepeated(req, 'authorization')) {
    return challenge(sentTwice, `${realm}, error="invalid_request"`);
  }
  // §3.1: no error code without a credential of this scheme.
  if (authorization === '') return challenge(howToAuthorize, realm);
  if (!anyBearer.test(authorization)) {
    // Nothing of it is shown, because it may be a key without its scheme.
    return challenge(`Authorization: expected the scheme Bearer. ${howToAuthorize}`, realm);
  }
  // Wrong, unknown, expired and revoked keys get the same response, so that guessing learns nothing.
  return challenge(errorMessages.unauthorized, `${realm}, error="invalid_token"`);
}

function challenge(message: string, value: string): HttpError {
  return new HttpError('unauthorized', message, { headers: { 'WWW-Authenticate': value } });
}
