import { adminBasePath, adminRoutes, isKeyId } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { createPathTable, type Route } from '../http/path-table.ts';
import { onceOver } from '../http/request-outcome.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';

/** Everything that this listener has, whether it takes the admin token or not. */
const routes: Record<string, Route> = {
  livez: { method: 'GET', path: '/livez' },
  readyz: { method: 'GET', path: '/readyz' },
  metrics: { method: 'GET', path: '/metrics' },
  openApi: { method: 'GET', path: `${adminBasePath}/openapi.json` },
};
for (const [name, { method, path }] of Object.entries(adminRoutes)) {
  routes[name] = { method, path: `${adminBasePath}${path}` };
}
const findPath = createPathTable(routes);

/** Tells of each request to the operators' listener once it is over, however it ended. */
export function observeOpsRequests(onEnd: (record: OpsRequestRecord) => void): RequestHandler {
  return function observeOpsRequest(req, res, next) {
    res.locals.route = findPath(req.path)?.template;
    onceOver(req, res, (outcome) => {
      const { keyId, pathParams, reasons } = res.locals;
      // Parameters are read behind the admin token, so a stranger's are not repeated; and they may
      // be anything until they are looked at.
      const asked = pathParams?.['keyId'];
      onEnd({
        ...outcome,
        keyId: keyId ?? (isKeyId(asked) ? asked.toLowerCase() : undefined),
        reasons,
      });
    });
    next();
  };
}
