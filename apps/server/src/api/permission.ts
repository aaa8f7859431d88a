import { errorMessages, type Scope } from '@animal-store/contract';
import { HttpError, isRepeated } from '@animal-store/http-server';
import type { Request } from 'express';
import type { ApiKey } from '../keys/api-key.ts';
import type { Caller } from './identify-caller.ts';

/** Matches credentials of the scheme Bearer, even if they are malformed. */
const anyBearer = /^bearer(?:\s|$)/i;

const realm = 'Bearer realm="animal-store"';

const sentTwice = 'Authorization: expected one header, got several.';

const howToAuthorize = 'Send your API key as "Authorization: Bearer <API_KEY>".';

/**
 * Returns the scope (the permission) that the operation requires, if the API key lacks this scope.
 * Unknown paths and methods require no scope.
 */
export function missingScope(key: ApiKey, { tsRestRoute }: Request): Scope | undefined {
  const scope = tsRestRoute?.metadata?.scope;
  return scope === undefined || key.scopes.includes(scope) ? undefined : scope;
}

/**
 * Returns the 401 or 403 error for a caller whose API key is missing, invalid or suspended, or
 * lacks the required scope. Returns `undefined` if the caller is allowed.
 */
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

/** Creates the 403 error for a missing scope (RFC 6750, §3.1). */
function forbidden(scope: Scope): HttpError {
  const challenge = `${realm}, error="insufficient_scope", scope="${scope}"`;
  return new HttpError('insufficient_scope', errorMessages.insufficient_scope(scope), {
    headers: { 'WWW-Authenticate': challenge },
  });
}

/**
 * Creates the 401 error for a request without a valid API key. The message and the
 * `WWW-Authenticate` header state the reason (RFC 6750, §3).
 */
function unauthorized(req: Request): HttpError {
  const { authorization = '' } = req.headers;
  if (isRepeated(req, 'authorization')) {
    return challenge(sentTwice, `${realm}, error="invalid_request"`);
  }
  // The `WWW-Authenticate` header has no error code if the request has no bearer token (RFC 6750,
  // §3.1).
  if (authorization === '') return challenge(howToAuthorize, realm);
  if (!anyBearer.test(authorization)) {
    // The message does not show the header's value, which may be an API key without the word
    // "Bearer".
    return challenge(`Authorization: expected the scheme Bearer. ${howToAuthorize}`, realm);
  }
  // Malformed, unknown, expired and revoked API keys get the same response, so that an attacker
  // learns nothing by guessing.
  return challenge(errorMessages.unauthorized, `${realm}, error="invalid_token"`);
}

function challenge(message: string, value: string): HttpError {
  return new HttpError('unauthorized', message, { headers: { 'WWW-Authenticate': value } });
}
