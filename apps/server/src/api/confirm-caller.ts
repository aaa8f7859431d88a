import type { NextFunction, Request, Response } from 'express';
import type { KeyCache } from '../keys/key-cache.ts';
import { describeCaller, tokenOf } from './identify-caller.ts';
import { missingPermission } from './permission.ts';

/**
 * Creates the step that asks for the key of a request again. It comes after a body that was awaited: a body may take
 * 30 s, and meanwhile the key may be revoked, suspended, rotated or made read-only. Without this step, whoever holds
 * a stolen key could keep requests open and finish them after the revocation.
 *
 * It counts nothing. The caller that the admission found stays in the log and in the usage of the key, because the
 * request was counted against that key.
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
