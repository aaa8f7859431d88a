import type { NextFunction, Request, Response } from 'express';
import type { KeyCache } from '../keys/key-cache.ts';
import { describeCaller, tokenOf } from './identify-caller.ts';
import { missingPermission } from './permission.ts';

/**
 * Creates the step that checks the API key a second time, after the body was received. Receiving a
 * body may take 30 s, and meanwhile the key may be revoked, suspended, rotated or made read-only.
 * Without this step, an attacker with a stolen key could hold requests open and finish them after
 * the revocation.
 *
 * The second check is not counted. The log and the usage keep the caller that admission found,
 * because the request was counted against that key.
 */
export function createConfirmation(keys: Pick<KeyCache, 'recall' | 'findByToken'>) {
  return async function confirmCaller(
    req: Request,
    _res: Response,
    next: NextFunction,
  ): Promise<void> {
    const token = tokenOf(req);
    const key = token && (keys.recall(token) ?? (await keys.findByToken(token)));
    next(missingPermission(describeCaller(token, key || undefined), req));
  };
}
