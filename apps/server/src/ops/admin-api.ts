import { adminContract, createAdminOpenApi } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { contractHandlers } from '../http/contract-handlers.ts';
import { jsonBody } from '../http/json-body.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { OperatorManagement } from '../operators/operator-management.ts';
import type { OperatorSessions } from '../operators/operator-sessions.ts';
import type { OverviewReader } from '../overview/overview.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { createAuditHandlers } from './audit-handlers.ts';
import { createKeyHandlers } from './key-handlers.ts';
import { createOperatorHandlers } from './operator-handlers.ts';
import type { adminApiRoutes } from './ops-routes.ts';
import { createOverviewHandlers } from './overview-handlers.ts';
import { createSessionHandlers } from './session-handlers.ts';
import { createUsageHandlers } from './usage-handlers.ts';

/** What the admin API works with. */
export interface AdminServices {
  readonly keys: KeyManagement;
  readonly quotas: Quotas;
  readonly operators: OperatorManagement;
  readonly sessions: OperatorSessions;
  readonly usage: UsageQueries;
  readonly overview: OverviewReader;
  readonly audit: AuditLog;
}

export type AdminHandlers = Record<keyof typeof adminApiRoutes, RequestHandler>;

/** Creates the handlers of the admin API. They must come after the authentication and `requireRole`. */
export function adminHandlers(services: AdminServices): AdminHandlers {
  const keys = createKeyHandlers(services);
  const operators = createOperatorHandlers(services.operators);
  const withBody = <Handler>(handler: Handler) => ({
    middleware: [jsonBody],
    handler,
  });
  // Created when it is first requested, because most processes never need it.
  let openApi: object | undefined;
  return {
    ...contractHandlers(adminContract, {
      ...keys,
      createKey: withBody(keys.createKey),
      changeKey: withBody(keys.changeKey),
      rotateKey: withBody(keys.rotateKey),
      ...operators,
      createOperator: withBody(operators.createOperator),
      rotateOperator: withBody(operators.rotateOperator),
      ...createUsageHandlers(services),
      ...createOverviewHandlers(services.overview),
      ...createSessionHandlers(services.sessions),
      ...createAuditHandlers(services.audit),
    }),
    openApi(_req, res) {
      openApi ??= createAdminOpenApi();
      res.json(openApi);
    },
  };
}
