import { adminContract } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { contractHandlers } from '../http/contract-handlers.ts';
import { jsonBody } from '../http/json-body.ts';
import type { createAuditHandlers } from './audit-handlers.ts';
import type { createKeyHandlers } from './key-handlers.ts';
import type { createOperatorHandlers } from './operator-handlers.ts';
import type { adminApiRoutes } from './ops-routes.ts';
import type { createOverviewHandlers } from './overview-handlers.ts';
import type { createSessionHandlers } from './session-handlers.ts';
import type { createUsageHandlers } from './usage-handlers.ts';

/** Enough for the longest name and account, with every character escaped. */
const maxBodyBytes = 16 * 1024;

export interface AdminApiOptions {
  /** Rejects everybody but operators. */
  readonly authenticate: RequestHandler;
  readonly keys: ReturnType<typeof createKeyHandlers>;
  readonly operators: ReturnType<typeof createOperatorHandlers>;
  readonly usage: ReturnType<typeof createUsageHandlers>;
  readonly overview: ReturnType<typeof createOverviewHandlers>;
  readonly sessions: ReturnType<typeof createSessionHandlers>;
  readonly audit: ReturnType<typeof createAuditHandlers>;
  /** Creates the OpenAPI document of this API. */
  readonly createOpenApi: () => object;
}

/** Creates the handlers of the admin API. They must come after `authenticate` and `requireRole`. */
export function adminHandlers({
  keys,
  operators,
  usage,
  overview,
  sessions,
  audit,
  createOpenApi,
}: AdminApiOptions): Record<keyof typeof adminApiRoutes, RequestHandler> {
  const withBody = <Handler>(handler: Handler) => ({
    middleware: [jsonBody({ maxBytes: maxBodyBytes })],
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
      ...usage,
      ...overview,
      ...sessions,
      ...audit,
      createOperator: withBody(operators.createOperator),
      rotateOperator: withBody(operators.rotateOperator),
    }),
    openApi(_req, res) {
      openApi ??= createOpenApi();
      res.json(openApi);
    },
  };
}
