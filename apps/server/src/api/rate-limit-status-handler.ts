import { apiVersion, rateLimitStatusContract } from '@animal-store/contract';
import { timed } from '@animal-store/http-server';
import { isWarned, reportedWindow } from '@animal-store/quotas';
import { initContract } from '@ts-rest/core';
import { initServer } from '@ts-rest/express';
import type { ServiceQuotas } from '../quotas/open-quotas.ts';
import { toInstant, toQuotaWindows } from '../quotas/quota-windows.ts';
import { keyOf } from './identify-caller.ts';
import { replaceQuotaHeaders } from './quota-response-headers.ts';

/** The contract of `GET /v1/rate-limit` with absolute paths. */
export const statusContract = initContract().router(rateLimitStatusContract, {
  pathPrefix: `/${apiVersion}`,
});

/**
 * Creates the handler of `GET /v1/rate-limit`, which shows the quota of an API key. The request
 * does not use up this quota, and the rate-limit headers also describe this quota.
 */
export function createRateLimitStatusHandlers({ keys }: Pick<ServiceQuotas, 'keys'>) {
  return initServer().router(statusContract, {
    async getRateLimit({ res }) {
      const apiKey = keyOf(res);
      const usage = await timed(res, 'redisMs', keys.look(apiKey));
      const { windows, bannedUntil, strikes, strikeThreshold } = usage;
      const isOpen = windows.every(({ remaining }) => remaining > 0);
      const reported = reportedWindow(windows, isOpen);
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
