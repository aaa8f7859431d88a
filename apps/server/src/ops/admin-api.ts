import { adminContract } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { contractHandlers } from '../http/contract-handlers.ts';
import { jsonBody } from '../http/json-body.ts';
import type { createKeyHandlers } from './key-handlers.ts';
import type { adminApiRoutes } from './ops-routes.ts';

/** Enough for the longest name and account, with every character escaped. */
const maxBodyBytes = 16 * 1024;

export interface AdminApiOptions {
  /** Rejects everybody but operators. */
  readonly authenticate: RequestHandler;
  readonly keyHandlers: ReturnType<typeof createKeyHandlers>;
  /** Creates the OpenAPI document of this API. */
  readonly createOpenApi: () => object;
}

/** Creates the handlers of the admin API. They must come after `authenticate`. */
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
