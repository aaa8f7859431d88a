import { errorMessages } from '@animal-store/contract';
import type { Request, Response } from 'express';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { isToken, tokenPrefix } from '../keys/token.ts';
import type { Quotas } from '../quotas/open-quotas.ts';

const realm = 'Bearer realm="animal-store"';

// RFC 6750, §2.1, and RFC 9110, §11.1: the scheme's name is case-insensitive.
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/** Creates the steps that find out who sends a request. */
export function createAuthentication(
  keys: Pick<KeyCache, 'recall' | 'findByToken'>,
  networks: Quotas['networks'],
) {
  return {
    /**
     * Looks up the key of a request. It rejects nothing: a request without a valid key first counts
     * against its network, and `requireKey` rejects it then.
     *
     * The token is read from the `Authorization` header only, because query strings end up in logs.
     */
    async identify(req: Request, res: Response): Promise<void> {
      const token = bearer.exec(req.headers.authorization ?? '')?.[1];
      if (token === undefined) return;
      const known = keys.recall(token);
      if (known === undefined && !isToken(token)) return;
      res.locals.tokenPrefix = tokenPrefix(token);
      if (known !== undefined) {
        res.locals.apiKey = known;
        return;
      }
      // An attacker can make up any number of tokens with a valid checksum. They must not cost a query
      // each once the network has used up its quota.
      res.locals.apiKey = await keys.findByToken(token, () => {
        res.locals.decision = networks.refuseLookUp(networkOf(req.ip, req.socket));
        return res.locals.decision === undefined;
      });
    },

    /** @returns the refusal of a request without a valid key. */
    requireKey(req: Request, res: Response): HttpError | undefined {
      if (res.locals.apiKey !== undefined) return undefined;
      if (req.headers.authorization === undefined) {
        return new HttpError(
          'unauthorized',
          'Send your API key as "Authorization: Bearer <API_KEY>".',
          { headers: { 'WWW-Authenticate': realm } },
        );
      }
      // Wrong, unknown, expired and revoked keys get the same response, so that guessing learns nothing.
      return new HttpError('unauthorized', errorMessages.unauthorized, {
        headers: { 'WWW-Authenticate': `${realm}, error="invalid_token"` },
      });
    },
  };
}
