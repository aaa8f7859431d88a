import { adminContract, createAdminOpenApi } from '@animal-store/contract/admin';
import { createExpressEndpoints } from '@ts-rest/express';
import compression from 'compression';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { AccountManagement } from '../accounts/account-management.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { endpointOptions, refuseOtherMethods, refusePath } from '../http/endpoints.ts';
import { refuseMalformedPath } from '../http/malformed-path.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { OperatorManagement } from '../operators/operator-management.ts';
import type { OperatorSessions } from '../operators/operator-sessions.ts';
import type { OverviewReader } from '../overview/overview.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import type { Clock } from '../shared/clock.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { createAccountHandlers } from './account-handlers.ts';
import { createAuditHandlers } from './audit-handlers.ts';
import { translateRefusal } from './change-request.ts';
import { checkQuery } from './check-query.ts';
import { createDeprecationHandlers } from './deprecation-handlers.ts';
import type { Health } from './health.ts';
import { createKeyHandlers } from './key-handlers.ts';
import { noteKey } from './observe-ops-requests.ts';
import { createOperatorHandlers } from './operator-handlers.ts';
import { createOverviewHandlers } from './overview-handlers.ts';
import { requireRole } from './require-role.ts';
import { createSessionHandlers } from './session-handlers.ts';
import { createUsageHandlers } from './usage-handlers.ts';

/** What the admin API works with. */
export interface AdminServices {
  readonly clock: Clock;
  readonly keys: KeyManagement;
  readonly accounts: AccountManagement;
  readonly quotas: Quotas;
  readonly operators: OperatorManagement;
  readonly sessions: OperatorSessions;
  readonly usage: UsageQueries;
  readonly overview: OverviewReader;
  readonly audit: AuditLog;
  readonly health: Pick<Health, 'report'>;
}

export type AdminHandlers = ReturnType<typeof createAdminHandlers>;

/** Creates what implements the contract of the admin API. */
export function createAdminHandlers(services: AdminServices) {
  return {
    ...createKeyHandlers(services),
    ...createAccountHandlers(services),
    ...createOperatorHandlers(services.operators),
    ...createUsageHandlers(services),
    ...createDeprecationHandlers(services),
    ...createOverviewHandlers(services),
    ...createSessionHandlers(services),
    ...createAuditHandlers(services.audit),
  };
}

const openApi = { method: 'GET', path: '/openapi.json' } as const;

/**
 * Compresses what is read. A new token is not compressed together with a name that somebody else may have
 * chosen: from the size of such an answer, an eavesdropper could guess the token (BREACH, CVE-2013-3587).
 */
const compress = compression({ filter: ({ method }) => method === 'GET' });

/**
 * Creates the router of the admin API.
 *
 * @param admission refuses everybody but operators: without authentication a caller learns nothing,
 * not even which paths exist.
 */
export function createAdminRouter(
  handlers: AdminHandlers,
  admission: RequestHandler[],
  answerFailure: ErrorRequestHandler,
): Router {
  const admin = Router({ caseSensitive: true, strict: true });
  createExpressEndpoints(adminContract, handlers, admin, {
    ...endpointOptions,
    globalMiddleware: [
      compress,
      ...admission,
      requireRole,
      refuseMalformedPath,
      checkQuery,
      noteKey,
    ],
  });
  admin.get(openApi.path, compress, admission, showOpenApi());
  refuseOtherMethods(admin, [...Object.values(adminContract), openApi], admission);
  admin.use(admission, refusePath);
  admin.use(translateRefusal, answerFailure);
  return admin;
}

function showOpenApi(): RequestHandler {
  // Created when it is first requested, because most processes never need it.
  let document: object | undefined;
  return function answerOpenApi(_req, res) {
    document ??= createAdminOpenApi();
    res.json(document);
  };
}
