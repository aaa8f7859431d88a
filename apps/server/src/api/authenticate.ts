import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { networkOf } from '../http/client-network.ts';
import { isAuthorizedTwice } from '../http/repeated-authorization.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { isToken, tokenPrefix } from '../keys/token.ts';
import type { Quotas } from '../quotas/open-quotas.ts';

// RFC 6750, §2.1, and RFC 9110, §11.1: the scheme's name is case-insensitive.
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/** Creates the step that finds out who sends a request. */
export function createIdentification(
  keys: Pick<KeyCache, 'recall' | 'findByToken'>,
  networks: Quotas['networks'],
): RequestHandler {
  async function lookUp(token: string, req: Request, res: Response, next: NextFunction) {
    const network = networkOf(req.ip, req.socket);
    let mayBeGuess = false;
    // An attacker can make up any number of tokens with a valid checksum. They must not cost a query
    // each once the network has used up its quota.
    const found = await keys.findByToken(token, () => {
      mayBeGuess = true;
      res.locals.decision = networks.refuseLookUp(network);
      return res.locals.decision === undefined;
    });
    if (found !== undefined) noteKey(res, found);
    else if (mayBeGuess && res.locals.decision === undefined) networks.countWastedLookUp(network);
    next();
  }

  /**
   * Looks up the key of a request. A request without a valid key, or with a suspended one, goes on: it
   * counts against its network, and `authorize` refuses it then. The look-up fails if the database
   * cannot be reached and did not confirm the key in the last five minutes.
   *
   * The token is read from the `Authorization` header only, because query strings end up in logs.
   */
  return function identify(req, res, next) {
    const token = bearer.exec(req.headers.authorization ?? '')?.[1];
    if (token === undefined || isAuthorizedTwice(req)) return next();
    const known = keys.recall(token);
    if (known === undefined && !isToken(token)) return next();
    res.locals.tokenPrefix = tokenPrefix(token);
    if (known === undefined) return lookUp(token, req, res, next);
    noteKey(res, known);
    next();
  };
}

/** Notes whose request it is. A suspended key is set aside, so that nothing takes it for one to serve. */
function noteKey(res: Response, key: ApiKey): void {
  if (key.isSuspended) res.locals.suspendedKey = key;
  else res.locals.apiKey = key;
}
