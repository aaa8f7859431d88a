import { adminContract, createAdminOpenApi } from '@animal-store/contract/admin';
import { createExpressEndpoints } from '@ts-rest/express';
import compression from 'compression';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { AccountManagement } from '../accounts/account-management.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { answerOtherMethods, endpointOptions, refusePath } from '../http/endpoints.ts';
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
import { createDeprecationHandlers } from './deprecation-handlers.ts';
import type { Health } from './health.ts';
import { createKeyHandlers } from './key-handlers.ts';
import { createOperatorHandlers } from './operator-handlers.ts';
import { createOverviewHandlers } from './overview-handlers.ts';
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
 * @param admit admits operators only.
 */
export function createAdminRouter(
  handlers: AdminHandlers,
  admit: RequestHandler,
  answerFailure: ErrorRequestHandler,
): Router {
  const admin = Router({ caseSensitive: true, strict: true });
  createExpressEndpoints(adminContract, handlers, admin, {
    ...endpointOptions,
    globalMiddleware: [compress, admit],
  });
  admin.get(openApi.path, compress, admit, showOpenApi());
  answerOtherMethods(admin, [...Object.values(adminContract), openApi], admit);
  admin.use(admit, refusePath);
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
