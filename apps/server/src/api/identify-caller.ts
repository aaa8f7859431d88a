import type { QuotaDecision } from '@animal-store/quotas';
import type { Request } from 'express';
import { networkOf } from '../http/client-network.ts';
import { isRepeated } from '../http/repeated-header.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { isToken, tokenPrefix } from '../keys/token.ts';
import type { Quotas } from '../quotas/open-quotas.ts';

/** Who sends a request. */
export interface Caller {
  /** The first characters of the token in the request, valid or not. */
  readonly tokenPrefix: string | undefined;
  /** The key of the request, if its token is valid and it is not refused. */
  readonly apiKey: ApiKey | undefined;
  /** The key of the request, if it is refused: suspended or ended. It counts against the network, as one without a key. */
  readonly refusedKey: ApiKey | undefined;
  /** What denies the request: its network has guessed too many tokens, so this one was not looked up. */
  readonly denial: QuotaDecision | undefined;
}

declare global {
  namespace Express {
    interface Locals {
      /** `undefined` until the admission has asked who it is. */
      caller?: Caller;
    }
  }
}

/** The key that a handler serves. The admission lets no request without one pass. */
export function keyOf({ locals: { caller } }: { readonly locals: Express.Locals }): ApiKey {
  if (caller?.apiKey === undefined) throw new TypeError('An operation was called without a key.');
  return caller.apiKey;
}

// RFC 6750, §2.1, and RFC 9110, §11.1: the scheme's name is case-insensitive.
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/** Whoever sends no token. */
const stranger = describeCaller(undefined);

/** What is asked of the cache of keys. */
export type KnownKeys = Pick<KeyCache, 'recall' | 'isNew' | 'findByToken'>;

/**
 * Creates what finds out who sends a request. It returns no promise if that is known without asking the database.
 * The promise rejects if the database cannot be reached, and did not confirm the key in the last five minutes.
 *
 * The token is read from the `Authorization` header only, because query strings end up in logs.
 */
export function createIdentification(
  keys: KnownKeys,
  networks: Quotas['networks'],
): (req: Request) => Caller | Promise<Caller> {
  async function lookUp(token: string, req: Request): Promise<Caller> {
    const network = networkOf(req);
    const mayBeGuess = keys.isNew(token);
    const denial = mayBeGuess ? await networks.denyGuess(network) : undefined;
    if (denial !== undefined) return describeCaller(token, undefined, denial);
    const key = await keys.findByToken(token);
    if (key === undefined && mayBeGuess) networks.countWrongGuess(network);
    return describeCaller(token, key);
  }

  return function identify(req) {
    const token = tokenOf(req);
    if (token === undefined) return stranger;
    const key = keys.recall(token);
    if (key !== undefined) return describeCaller(token, key);
    return isToken(token) ? lookUp(token, req) : stranger;
  };
}

/** What a request says of its caller, if nobody could be asked whose token it is. */
export function claimedBy(req: Request): Caller {
  const token = tokenOf(req);
  return token !== undefined && isToken(token) ? describeCaller(token) : stranger;
}

/** The token of a request that has one. */
export function tokenOf(req: Request): string | undefined {
  const token = bearer.exec(req.headers.authorization ?? '')?.[1];
  return token === undefined || isRepeated(req, 'authorization') ? undefined : token;
}

/** A caller with a token, and its key. A key that is refused is set aside, so that nothing takes it for one to serve. */
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
