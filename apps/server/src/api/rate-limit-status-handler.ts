import {
  apiVersion,
  isWarned,
  type RateLimitWindow,
  rateLimitStatusContract,
} from '@animal-store/contract';
import { initContract } from '@ts-rest/core';
import { initServer } from '@ts-rest/express';
import type { Quotas } from '../quotas/open-quotas.ts';
import { toInstant, toQuotaWindows } from '../quotas/quota-decision.ts';
import { keyOf } from './caller.ts';
import { replaceQuotaHeaders } from './quota-response.ts';

/** The contract with the whole path. */
export const statusContract = initContract().router(rateLimitStatusContract, {
  pathPrefix: `/${apiVersion}`,
});

/** The operation that shows a key its quota. It costs none of it, and its headers tell that quota, too. */
export function createRateLimitStatusHandlers({ keys }: Pick<Quotas, 'keys'>) {
  return initServer().router(statusContract, {
    async getRateLimit({ res }) {
      const apiKey = keyOf(res);
      const usage = await keys.look(apiKey);
      const { windows, bannedUntil, strikes, strikeThreshold } = usage;
      const [reported] = windows.toSorted(byRestriction);
      if (reported === undefined) throw new TypeError('A key has no quota windows.');
      const closed = bannedUntil === undefined ? {} : { remaining: 0, resetAt: bannedUntil };
      replaceQuotaHeaders(res, { reported: { ...reported, ...closed }, windows });
      return {
        status: 200,
        body: {
          plan: apiKey.plan,
          subject: apiKey.accountId === undefined ? 'key' : 'account',
          windows: toQuotaWindows(usage),
          bannedUntil: bannedUntil === undefined ? null : toInstant(bannedUntil),
          warned: bannedUntil === undefined && isWarned(strikes, strikeThreshold),
        },
      };
    },
  });
}

/** Sorts the window with the least remaining first; of two exhausted ones, the one that resets later. */
function byRestriction(one: RateLimitWindow, other: RateLimitWindow): number {
  const isUsedUp = one.remaining === 0 && other.remaining === 0;
  return isUsedUp ? other.resetAt - one.resetAt : one.remaining - other.remaining;
}
