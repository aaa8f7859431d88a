import { apiVersion, operations, rateLimitHeaders } from '@animal-store/contract';
import type { Request, Response } from 'express';
import { HttpError } from '../http/http-error.ts';
import { send } from '../http/send-response.ts';
import { ageMs } from '../http/track-request.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { AppOptions } from './app.ts';
import { allowOrigins } from './cors.ts';
import { createQuotaEnforcement } from './enforce-quota.ts';

const prefix = `/${apiVersion}/`;

const refusal = new HttpError('service_unavailable', 'The service is overloaded. Retry after 1 s.');
/** A text, because Node writes a text together with the head: of bytes, it would make a second part. */
const body = JSON.stringify(refusal.toBody());

/** The headers that are the same on every refusal. */
const headers = [
  ...[rateLimitHeaders.retryAfter, '1'],
  ...['Content-Type', 'application/json; charset=utf-8'],
];

const noNext = () => {};

/** A deprecated operation, and what its paths look like. The names of its parameters are those of the groups. */
const deprecated = Object.values(operations)
  .filter(({ metadata }) => 'deprecation' in metadata && metadata.deprecation !== undefined)
  .map((route) => {
    const pattern = route.path.replace(/:(\w+)/g, '(?<$1>[^/?]+)');
    return { route, pattern: new RegExp(`^/${apiVersion}${pattern}(?:\\?|$)`) };
  });

/**
 * Creates what answers requests that are refused because of overload. There may be many, so it does as little
 * as possible: no route is looked for, nothing is logged or counted but their number.
 */
export function refuseOverload({
  baseUrl,
  corsOrigins,
  quotas,
  countTraffic,
  onShed,
}: Pick<AppOptions, 'baseUrl' | 'corsOrigins' | 'quotas' | 'countTraffic' | 'onShed'>) {
  const allowOrigin = allowOrigins(corsOrigins);
  const announceEnd = announceDeprecation(baseUrl);
  const { tellNetworkQuota } = createQuotaEnforcement(quotas);

  return function refuseRequest(req: Request, res: Response): void {
    onShed(req.method);
    countTraffic('server_error', ageMs(res));
    allowOrigin(req, res, noNext);
    if (req.url.startsWith(prefix)) {
      tellNetworkQuota(req, res);
      for (const { route, pattern } of deprecated) {
        const found = pattern.exec(req.url);
        if (found === null || (req.method !== route.method && req.method !== 'HEAD')) continue;
        // What the router would have set.
        req.tsRestRoute = route;
        req.params = { ...found.groups };
        announceEnd(req, res, noNext);
      }
    }
    res.locals.headers.push(...headers);
    send(res.status(refusal.status), body);
  };
}
