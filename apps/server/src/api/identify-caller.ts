import { isRepeated, networkOf } from '@animal-store/http-server';
import type { QuotaDecision } from '@animal-store/quotas';
import type { Request } from 'express';
import type { ApiKey } from '../keys/api-key.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { isToken, tokenPrefix } from '../keys/token.ts';
import type { ServiceQuotas } from '../quotas/open-quotas.ts';

/** What the service knows about the sender of a request. */
export interface Caller {
  /** The first characters of the token in the request, even if the token is invalid. */
  readonly tokenPrefix: string | undefined;
  /** The API key of the request, if the key is valid and active. */
  readonly apiKey: ApiKey | undefined;
  /**
   * The API key of the request, if the service refuses the key: the key is suspended, expired or
   * revoked, or its token was replaced. The request counts against the network, like a request
   * without a key.
   */
  readonly refusedKey: ApiKey | undefined;
  /**
   * The quota decision that denies the request, because the network of the caller has tried too
   * many unknown tokens. In this case, the token was not looked up.
   */
  readonly denial: QuotaDecision | undefined;
}

declare global {
  namespace Express {
    interface Locals {
      /**
       * What is known about the sender of the request; `undefined` until admission has identified
       * the caller.
       */
      caller?: Caller;
      /** The quota decision about the request; `undefined` if the request is not counted. */
      decision?: QuotaDecision;
    }
  }
}

/**
 * Returns the API key of a request in a handler. Handlers always find a key, because admission has
 * refused requests without one.
 */
export function keyOf({ locals: { caller } }: { readonly locals: Express.Locals }): ApiKey {
  if (caller?.apiKey === undefined)
    throw new TypeError(
      'A handler was called before the API key of the request was identified. Run the middleware of admission.ts before every handler.',
    );
  return caller.apiKey;
}

// Matches the Authorization header with a bearer token. The name of the scheme is case-insensitive
// (RFC 6750, §2.1; RFC 9110, §11.1).
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/** The caller of a request without a well-formed token. */
const anonymousCaller = describeCaller(undefined);

/** The methods of the API key cache that this file uses. */
export type KeyFinder = Pick<KeyCache, 'findCached' | 'isUncached' | 'findByToken'>;

/**
 * Creates the function that identifies the caller of a request. If the API key is in the cache, the
 * function returns the caller itself. Otherwise it queries the database and returns a promise. The
 * promise rejects if the database is down and has not confirmed the key in the last five minutes.
 *
 * The token is only read from the `Authorization` header, because query strings end up in logs.
 */
export function createIdentification(
  keys: KeyFinder,
  networks: ServiceQuotas['networks'],
): (req: Request) => Caller | Promise<Caller> {
  async function lookUp(token: string, req: Request): Promise<Caller> {
    const network = networkOf(req);
    const mayBeGuess = keys.isUncached(token);
    const denial = mayBeGuess ? await networks.denyGuess(network) : undefined;
    if (denial !== undefined) return describeCaller(token, undefined, denial);
    const key = await keys.findByToken(token);
    if (key === undefined && mayBeGuess) networks.countWrongGuess(network);
    return describeCaller(token, key);
  }

  return function identify(req) {
    const token = tokenOf(req);
    if (token === undefined) return anonymousCaller;
    const key = keys.findCached(token);
    if (key !== undefined) return describeCaller(token, key);
    return isToken(token) ? lookUp(token, req) : anonymousCaller;
  };
}

/**
 * Returns what the request itself says about the caller: only the beginning of the token. The
 * function does not look up the token.
 */
export function claimedCallerOf(req: Request): Caller {
  const token = tokenOf(req);
  return token !== undefined && isToken(token) ? describeCaller(token) : anonymousCaller;
}

/**
 * Returns the bearer token of a request. Returns `undefined` if the request has no bearer token or
 * repeats the header.
 */
export function tokenOf(req: Request): string | undefined {
  const token = bearer.exec(req.headers.authorization ?? '')?.[1];
  return token === undefined || isRepeated(req, 'authorization') ? undefined : token;
}

/**
 * Describes a caller by its token and its API key. A refused key is stored in `refusedKey`, so that
 * no code uses it as a valid key by mistake.
 */
export function describeCaller(
  token: string | undefined,
  key?: ApiKey,
  denial?: QuotaDecision,
): Caller {
  return {
    tokenPrefix: token === undefined ? undefined : tokenPrefix(token),
    apiKey: key?.refusal === undefined ? key : undefined,
    refusedKey: key?.refusal === undefined ? undefined : key,
    denial,
  };
}
