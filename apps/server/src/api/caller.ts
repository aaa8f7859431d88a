import { errorMessages, type Scope } from '@animal-store/contract';
import type { Request } from 'express';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import { authorizedTwice, isRepeated } from '../http/repeated-header.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { isToken, tokenPrefix } from '../keys/token.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import type { Caller } from './request-record.ts';

// RFC 6750, §2.1, and RFC 9110, §11.1: the scheme's name is case-insensitive.
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/** A credential of the scheme Bearer, whatever is wrong with it. */
const anyBearer = /^bearer(?:\s|$)/i;

const realm = 'Bearer realm="animal-store"';

const howToAuthorize = 'Send your API key as "Authorization: Bearer <API_KEY>".';

/** Creates what finds out who sends a request. */
export function createIdentification(
  keys: Pick<KeyCache, 'recall' | 'findByToken'>,
  networks: Quotas['networks'],
) {
  return {
    /**
     * Finds the caller of a request, as far as that is known without asking the database.
     *
     * The token is read from the `Authorization` header only, because query strings end up in logs.
     *
     * @returns also the token that the database has to be asked about.
     */
    identify(req: Request): { caller: Caller; unknownToken?: string } {
      const token = bearer.exec(req.headers.authorization ?? '')?.[1];
      if (token === undefined || isRepeated(req, 'authorization'))
        return { caller: describe(undefined) };
      const key = keys.recall(token);
      if (key !== undefined) return { caller: describe(token, key) };
      if (!isToken(token)) return { caller: describe(undefined) };
      return { caller: describe(token), unknownToken: token };
    },

    /**
     * Asks the database for the key of a caller. Fails if it cannot be reached and did not confirm the key in
     * the last five minutes.
     */
    async lookUp(caller: Caller, token: string, req: Request): Promise<void> {
      const network = networkOf(req.ip, req.socket);
      let mayBeGuess = false;
      // An attacker can make up any number of tokens with a valid checksum. They must not cost a query
      // each once the network has used up its quota.
      const key = await keys.findByToken(token, () => {
        mayBeGuess = true;
        caller.decision = networks.refuseLookUp(network);
        return caller.decision === undefined;
      });
      if (key !== undefined) Object.assign(caller, describe(token, key));
      else if (mayBeGuess && caller.decision === undefined) networks.countWastedLookUp(network);
    },
  };
}

/** A caller with a token, and its key. A key that is refused is set aside, so that nothing takes it for one to serve. */
function describe(token: string | undefined, key?: ApiKey): Caller {
  return {
    tokenPrefix: token === undefined ? undefined : tokenPrefix(token),
    apiKey: key?.refusal === undefined ? key : undefined,
    refusedKey: key?.refusal === undefined ? undefined : key,
    decision: undefined,
  };
}

/** The scope that a key lacks for the operation of a request. Unknown paths and methods need none. */
export function missingScope(key: ApiKey, { tsRestRoute }: Request): Scope | undefined {
  const scope = tsRestRoute?.metadata?.scope;
  return scope === undefined || key.scopes.includes(scope) ? undefined : scope;
}

/** Why a caller is refused who has no valid key, a suspended one, or one that may not do this. */
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
    return challenge(authorizedTwice, `${realm}, error="invalid_request"`);
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
