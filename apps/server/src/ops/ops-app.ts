import { rateLimitHeaders } from '@animal-store/contract';
import { adminBasePath } from '@animal-store/contract/admin';
import type { Express, RequestHandler } from 'express';
import { createExpress } from '../http/create-express.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { createRouteTable } from '../http/route-table.ts';
import { fileRoutes } from '../http/send-file.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { AdminHandlers } from './admin-api.ts';
import { allowHosts } from './allow-hosts.ts';
import './ops-locals.ts';
import type { Health } from './health.ts';
import { observeOpsRequests } from './observe-ops-requests.ts';
import { adminApiRoutes, probeRoutes } from './ops-routes.ts';
import { requireRole } from './require-role.ts';
import { showMetrics } from './show-metrics.ts';

export interface OpsAppOptions {
  /** The names that this listener may be called by, besides IP addresses and localhost. */
  readonly opsHosts: readonly string[];
  readonly health: Pick<Health, 'report'>;
  readonly metrics: Metrics;
  /** The handlers of the console's files, by path. */
  readonly consoleFiles: Readonly<Record<string, RequestHandler>>;
  /** Rejects everybody but operators. */
  readonly authenticate: RequestHandler;
  readonly admin: AdminHandlers;
  /** Called for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Called for each finished request. */
  readonly onOpsEnd: (record: OpsRequestRecord) => void;
}

/** The `Retry-After` of a replica that is not ready. */
const notReadyRetrySeconds = 1;

/** Creates the operators' listener's application, in the order in which a request passes it. */
export function createOpsApp(options: OpsAppOptions): Express {
  const { health, metrics, consoleFiles, authenticate, admin, report, onOpsEnd } = options;
  const app = createExpress();

  const routes = createRouteTable({
    ...probeRoutes,
    ...adminApiRoutes,
    ...fileRoutes(consoleFiles, '/console/'),
  });
  app.use(observeOpsRequests(onOpsEnd));
  app.use((req, res, next) => {
    routes.find(req, res);
    next();
  });
  app.use(allowHosts(options.opsHosts));
  // Without authentication a caller learns nothing, not even which paths exist.
  app.use(adminBasePath, authenticate, requireRole());
  app.use(
    routes.dispatch({
      livez(_req, res) {
        res.json({ status: 'alive' });
      },
      async readyz(_req, res) {
        const readiness = await health.report();
        if (readiness.reasons.length > 0) res.locals.reasons = readiness.reasons;
        if (readiness.status === 'not_ready') {
          res.status(503).setHeader(rateLimitHeaders.retryAfter, String(notReadyRetrySeconds));
        }
        res.json(readiness);
      },
      metrics: showMetrics(metrics),
      ...admin,
      ...consoleFiles,
    }),
  );
  app.use(errorMapper(report));
  return app;
}
