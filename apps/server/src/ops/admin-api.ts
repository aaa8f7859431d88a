import { adminContract } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { contractHandlers } from '../http/contract-handlers.ts';
import { jsonBody } from '../http/json-body.ts';
import type { createKeyHandlers } from './key-handlers.ts';
import type { adminApiRoutes } from './ops-routes.ts';

/** The most that a JSON body may hold: the longest name and account, escaped, and room to spare. */
const maxBodyBytes = 16 * 1024;

export interface AdminApiOptions {
  /** Lets operators through, and throws for everybody else. */
  readonly authenticate: RequestHandler;
  readonly keyHandlers: ReturnType<typeof createKeyHandlers>;
  /** Makes the OpenAPI document of this API. */
  readonly createOpenApi: () => object;
}

/** The handlers of the admin API. They must come after authentication. */
export function adminHandlers({
  keyHandlers,
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
      ...keyHandlers,
      createKey: withBody(keyHandlers.createKey),
      changeKey: withBody(keyHandlers.changeKey),
      rotateKey: withBody(keyHandlers.rotateKey),
    }),
    openApi(_req, res) {
      openApi ??= createOpenApi();
      res.json(openApi);
    },
  };
}
