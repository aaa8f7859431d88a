import { adminContract, adminRoutes } from '@animal-store/contract/admin';
import { createExpressEndpoints } from '@ts-rest/express';
import { type RequestHandler, Router } from 'express';
import { endpointOptions } from '../http/endpoint-options.ts';
import { jsonBody } from '../http/json-body.ts';
import { refuseMethod } from '../http/method-not-allowed.ts';
import type { createKeyHandlers } from './key-handlers.ts';

/** The most that a JSON body may hold: the longest name and account, escaped, and room to spare. */
const maxBodyBytes = 16 * 1024;

export interface AdminApiOptions {
  /** Lets operators through, and throws for everybody else. */
  readonly authenticate: RequestHandler;
  readonly keyHandlers: ReturnType<typeof createKeyHandlers>;
  /** Makes the OpenAPI document of this API. */
  readonly createOpenApi: () => object;
}

/** The admin API. Without authentication a caller learns nothing, not even which paths exist. */
export function createAdminApi({
  authenticate,
  keyHandlers,
  createOpenApi,
}: AdminApiOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(authenticate);

  const withBody = <Handler>(handler: Handler) => ({
    middleware: [jsonBody({ maxBytes: maxBodyBytes })],
    handler,
  });
  createExpressEndpoints(
    adminContract,
    {
      ...keyHandlers,
      createKey: withBody(keyHandlers.createKey),
      changeKey: withBody(keyHandlers.changeKey),
      rotateKey: withBody(keyHandlers.rotateKey),
    },
    router,
    endpointOptions,
  );
  for (const [path, routes] of Map.groupBy(Object.values(adminRoutes), ({ path }) => path)) {
    router.all(path, refuseMethod(routes.map(({ method }) => method)));
  }

  // Made when it is first asked for, which most processes never are, and not at every start.
  let openApi: object | undefined;
  router
    .route('/openapi.json')
    .get((_req, res) => {
      openApi ??= createOpenApi();
      res.json(openApi);
    })
    .all(refuseMethod(['GET']));
  return router;
}
