import { rateLimitHeaders } from '@animal-store/contract';
import { adminBasePath } from '@animal-store/contract/admin';
import type { Express, RequestHandler } from 'express';
import { createExpress } from '../http/create-express.ts';
import { refuseOtherMethods, refusePath } from '../http/endpoints.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { setHeader } from '../http/note-headers.ts';
import { addFiles } from '../http/send-file.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type AdminHandlers, createAdminRouter } from './admin-router.ts';
import { allowHosts } from './allow-hosts.ts';
import './ops-locals.ts';
import type { Health } from './health.ts';
import { observeOpsRequests } from './observe-ops-requests.ts';
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

/** Creates the application of the operators' listener. It reads in the order of a request. */
export function createOpsApp(options: OpsAppOptions): Express {
  const { metrics, consoleFiles, authenticate, admin, report, onOpsEnd } = options;
  const answerFailure = errorMapper(report);
  // On the routes and not before them: a request that is refused is logged with its route, too.
  const refuseOtherHosts = allowHosts(options.opsHosts);
  const probes = {
    '/livez': showLife,
    '/readyz': showReadiness(options.health),
    '/metrics': showMetrics(metrics),
  };

  const app = createExpress();
  app.use(observeOpsRequests(onOpsEnd));
  for (const [path, answer] of Object.entries(probes)) {
    app.get(path, refuseOtherHosts, answer);
    refuseOtherMethods(app, [{ method: 'GET', path }], [refuseOtherHosts]);
  }
  app.use(adminBasePath, createAdminRouter(admin, [refuseOtherHosts, authenticate], answerFailure));
  addFiles(app, consoleFiles, { folder: '/console/', steps: [refuseOtherHosts] });
  app.use(refuseOtherHosts, refusePath, answerFailure);
  return app;
}

const showLife: RequestHandler = function answerLiveness(_req, res) {
  res.json({ status: 'alive' });
};

function showReadiness(health: Pick<Health, 'report'>): RequestHandler {
  return async function answerReadiness(_req, res) {
    const readiness = await health.report();
    if (readiness.reasons.length > 0) res.locals.reasons = readiness.reasons;
    if (readiness.status === 'not_ready') {
      setHeader(res.status(503), rateLimitHeaders.retryAfter, String(notReadyRetrySeconds));
    }
    res.json(readiness);
  };
}
