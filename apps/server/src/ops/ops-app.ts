import { adminBasePath } from '@animal-store/contract/admin';
import type { Express, RequestHandler } from 'express';
import { createExpress } from '../http/create-express.ts';
import { answerOtherMethods, refusePath } from '../http/endpoints.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { addFiles } from '../http/send-file.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type AdminHandlers, createAdminRouter } from './admin-router.ts';
import type { Identify } from './authenticate-operator.ts';
import './ops-locals.ts';
import type { Health } from './health.ts';
import { observeOpsRequests } from './observe-ops-requests.ts';
import { createOpsAdmission } from './ops-admission.ts';
import { createProbes } from './probes.ts';

export interface OpsAppOptions {
  /** The names that this listener may be called by, besides IP addresses and localhost. */
  readonly opsHosts: readonly string[];
  readonly health: Pick<Health, 'report'>;
  readonly metrics: Metrics;
  /** The handlers of the console's files, by path. */
  readonly consoleFiles: Readonly<Record<string, RequestHandler>>;
  readonly identify: Identify;
  readonly admin: AdminHandlers;
  /** Called for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Called for each finished request. */
  readonly onOpsEnd: (record: OpsRequestRecord) => void;
}

/** Creates the application of the operators' listener. It reads in the order of a request. */
export function createOpsApp(options: OpsAppOptions): Express {
  const { health, metrics, consoleFiles, admin, report, onOpsEnd } = options;
  const answerFailure = errorMapper(report);
  // On the routes and not before them: a request that is refused is logged with its route, too.
  const { admitOperator, admitVisitor } = createOpsAdmission(options);

  const app = createExpress();
  app.use(observeOpsRequests(onOpsEnd));
  for (const [path, answer] of Object.entries(createProbes(health, metrics))) {
    app.get(path, admitVisitor, answer);
    answerOtherMethods(app, [{ method: 'GET', path }], admitVisitor);
  }
  app.use(adminBasePath, createAdminRouter(admin, admitOperator, answerFailure));
  addFiles(app, consoleFiles, admitVisitor);
  app.use(admitVisitor, refusePath, answerFailure);
  return app;
}
