import { adminBasePath } from '@animal-store/admin-contract';
import { rateLimitHeaders } from '@animal-store/contract';
import {
  addFiles,
  answerOtherMethods,
  beginRequest,
  createExpress,
  errorMapper,
  outcomeOf,
  paceRequests,
  refusePath,
  send,
  setHeader,
} from '@animal-store/http-server';
import type { Metrics, OpsRequestRecord } from '@animal-store/observability';
import { prefersOpenMetrics } from '@animal-store/observability';
import type { Express, RequestHandler } from 'express';
import type { AdminServices } from './admin-operation.ts';
import { createAdminRouter } from './admin-router.ts';
import type { Identify } from './authenticate-operator.ts';
import { createOpsAdmission } from './ops-admission.ts';
import type { OpsSettings } from './ops-settings.ts';
import { paceScrapes } from './pace-scrapes.ts';

const notReadyRetrySeconds = 1;

export interface OpsAppOptions
  extends AdminServices,
    Pick<OpsSettings, 'hosts' | 'adminRequestsPerSecond' | 'otherRequestsPerSecond'> {
  readonly metrics: Metrics;
  /** The handlers of the console's files, with the paths as keys. */
  readonly consoleFiles: Readonly<Record<string, RequestHandler>>;
  readonly identify: Identify;
  /** A function that is called with the error and the request id for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
  readonly onOpsEnd: (record: OpsRequestRecord) => void;
}

/**
 * Creates the Express application of the ops listener. The function adds its middleware in the
 * order in which a request passes through it.
 */
export function createOpsApp(options: OpsAppOptions): Express {
  const { clock, consoleFiles, report, onOpsEnd } = options;
  const answerFailure = errorMapper(report);
  // Admission runs as a middleware of the routes, after Express has found the route. So the log of
  // a refused request names the route.
  const { admitOperator, admitVisitor } = createOpsAdmission(options);

  const app = createExpress();
  app.use(observeOpsRequests(onOpsEnd));
  // A request first waits for its start (`paceRequests`), and then its operator is identified. In
  // the other order, the request could run with a permission that has ended during the wait.
  app.use(
    adminBasePath,
    paceRequests({ clock, perSecond: options.adminRequestsPerSecond }),
    createAdminRouter(options, admitOperator, answerFailure),
  );
  // Health checks, metrics and files of the console have a separate limit, so that health checks do
  // not wait behind requests to the admin API.
  app.use(paceRequests({ clock, perSecond: options.otherRequestsPerSecond }));
  for (const [path, answer] of Object.entries(createProbes(options))) {
    app.get(path, admitVisitor, answer);
    answerOtherMethods(app, [{ method: 'GET', path }], admitVisitor);
  }
  addFiles(app, consoleFiles, { admit: admitVisitor });
  app.use(admitVisitor, refusePath, answerFailure);
  return app;
}

function observeOpsRequests(onEnd: OpsAppOptions['onOpsEnd']): RequestHandler {
  return function observeOpsRequest(req, res, next) {
    beginRequest(req, res);
    // The function listens to "close", because Node does not emit "finish" if the client has
    // disconnected.
    res.on('close', () => {
      const { operator, keyId, account, reasons, pace } = res.locals;
      const outcome = outcomeOf(res);
      const { name, id: operatorId } = operator?.actor ?? {};
      const queueMs = pace?.waitedMs;
      onEnd({ ...outcome, queueMs, operator: name, operatorId, keyId, account, reasons });
    });
    next();
  };
}

/**
 * Creates the handlers for health checks and metrics, with the paths as keys. They need no token.
 */
function createProbes({
  health,
  metrics,
}: Pick<OpsAppOptions, 'health' | 'metrics'>): Readonly<Record<string, RequestHandler>> {
  const scrapes = {
    plain: paceScrapes(() => metrics.show('plain')),
    openmetrics: paceScrapes(() => metrics.show('openmetrics')),
  };
  return {
    '/livez': function answerLiveness(_req, res) {
      res.json({ status: 'alive' });
    },

    '/readyz': async function answerReadiness(_req, res) {
      const readiness = await health.report();
      if (readiness.reasons.length > 0) res.locals.reasons = readiness.reasons;
      if (readiness.status === 'not_ready') {
        setHeader(res.status(503), rateLimitHeaders.retryAfter, String(notReadyRetrySeconds));
      }
      res.json(readiness);
    },

    '/metrics': async function answerScrape(req, res) {
      const format = prefersOpenMetrics(req.headers.accept) ? 'openmetrics' : 'plain';
      const { text, contentType } = await scrapes[format]();
      setHeader(res, 'Content-Type', contentType);
      send(res, text);
    },
  };
}
