import { errorMessages } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError } from '../http/api-error.ts';
import { networkOf } from '../http/client-network.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { isToken, tokenPrefix } from '../keys/token.ts';
import type { Quotas } from '../quotas/quotas.ts';

const realm = 'Bearer realm="animal-store"';

// RFC 6750, §2.1, and RFC 9110, §11.1: the scheme's name is case-insensitive.
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/**
 * Looks up the key of a request. It rejects nothing: a request without a valid key first counts against
 * its network, and {@link requireKey} rejects it then.
 *
 * The token is read from the `Authorization` header only, because query strings end up in logs.
 */
export function identify(
  keys: Pick<KeyCache, 'findByToken'>,
  quotas: Pick<Quotas, 'refuseLookUp'>,
): RequestHandler {
  return async function identifyCaller(req, res, next) {
    const token = bearer.exec(req.get('Authorization') ?? '')?.[1];
    if (token !== undefined && isToken(token)) {
      res.locals.tokenPrefix = tokenPrefix(token);
      // An attacker can make up any number of tokens with a valid checksum. They must not cost a query
      // each once the network has used up its quota.
      res.locals.apiKey = await keys.findByToken(token, () => {
        res.locals.decision = quotas.refuseLookUp(networkOf(req.ip, req.socket));
        return res.locals.decision === undefined;
      });
    }
    next();
  };
}

/** Rejects requests without a valid key. */
export function requireKey(): RequestHandler {
  return function refuseStrangers(req, res, next) {
    if (res.locals.apiKey !== undefined) return next();
    const given = req.get('Authorization');
    if (given === undefined) {
      throw new ApiError(
        'unauthorized',
        'Send your API key as "Authorization: Bearer <API_KEY>".',
        {
          headers: { 'WWW-Authenticate': realm },
        },
      );
    }
    // Wrong, unknown, expired and revoked keys get the same response, so that guessing learns nothing.
    throw new ApiError('unauthorized', errorMessages.unauthorized, {
      headers: { 'WWW-Authenticate': `${realm}, error="invalid_token"` },
    });
  };
}
