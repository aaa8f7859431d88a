import { timed } from '@animal-store/http-server';
import type { NextFunction, Request, Response } from 'express';
import type { KeyCache } from '../keys/key-cache.ts';
import { describeCaller, tokenOf } from './identify-caller.ts';
import { missingPermission } from './permission.ts';

/**
 * Creates the middleware that checks the API key a second time after the body has arrived. A body
 * may take 30 s to arrive. During this time, an operator may revoke, suspend or rotate the key, or
 * make it read-only. Without the second check, an attacker with a stolen key could hold requests
 * open and finish them after the revocation.
 *
 * The second check does not count the request again. The log and the usage statistics show the key
 * of the first check, because the request was counted against that key.
 */
export function createConfirmation(keys: Pick<KeyCache, 'findCached' | 'findByToken'>) {
  return async function confirmCaller(
    req: Request,
    res: Response,
    next: NextFunction,
  ): Promise<void> {
    const token = tokenOf(req);
    const key =
      token && (keys.findCached(token) ?? (await timed(res, 'sqlMs', keys.findByToken(token))));
    next(missingPermission(describeCaller(token, key || undefined), req));
  };
}
