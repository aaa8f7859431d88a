import {
  apiVersion,
  contract,
  errorMessages,
  rateLimitStatusContract,
} from '@animal-store/contract';
import type { Express, RequestHandler } from 'express';
import { ApiError } from '../http/api-error.ts';
import { contractHandlers } from '../http/contract-handlers.ts';
import { createExpress } from '../http/create-express.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { inOrder } from '../http/in-order.ts';
import { jsonBody } from '../http/json-body.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { identify, requireKey } from './authenticate.ts';
import { cors, preflight } from './cors.ts';
import { deprecationHeaders } from './deprecation-headers.ts';
import { enforceQuota, showQuotaOnFailure } from './enforce-quota.ts';
import './api-locals.ts';
import { commonHeaders } from '../http/common-headers.ts';
import { createRouteTable } from '../http/route-table.ts';
import type { GuideNumbers } from '../reference/guides.ts';
import { referenceHandlers, referenceRoutes } from '../reference/reference.ts';
import { observeRequests, type RequestRecord, type RequestTracing } from './observe-requests.ts';
import { operationRoutes } from './public-routes.ts';
import { createRateLimitStatusHandlers } from './rate-limit-status-handler.ts';

export interface AppOptions extends GuideNumbers {
  readonly shedLoad: RequestHandler;
  readonly keys: Pick<KeyCache, 'findByToken'>;
  readonly quotas: Quotas;
  readonly petHandlers: ReturnType<typeof createPetHandlers>;
  /** The base address that links show, ending in `/v1`. */
  readonly baseUrl: string;
  /** The origin of the staging environment, for the reference; `undefined` if there is none. */
  readonly stagingOrigin: string | undefined;
  /** Origins whose pages may call; `undefined` for any. */
  readonly corsOrigins: ReadonlySet<string> | undefined;
  /** How many proxies in front of the service add to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  readonly maxBodyBytes: number;
  /** Called for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Called for each finished request. */
  readonly onEnd: (record: RequestRecord) => void;
  readonly tracing: RequestTracing | undefined;
}

/** Creates the public API. The middleware is in the order in which a request passes it. */
export function createApp(options: AppOptions): Express {
  const { shedLoad, keys, quotas, petHandlers, baseUrl } = options;

  const app = createExpress();
  app.set('trust proxy', options.trustedProxies);

  const files = referenceHandlers({ ...options, origin: new URL(baseUrl).origin });
  const routes = createRouteTable({ ...operationRoutes, ...referenceRoutes(files) });
  app.use(
    inOrder(
      commonHeaders(),
      routes.find,
      observeRequests(options),
      cors(options.corsOrigins),
      deprecationHeaders(baseUrl),
    ),
  );
  app.use(
    `/${apiVersion}`,
    inOrder(
      shedLoad,
      preflight(quotas),
      identify(keys, quotas),
      enforceQuota(quotas),
      requireKey(),
    ),
  );
  app.use(
    routes.dispatch({
      ...contractHandlers(contract, {
        ...petHandlers,
        createPet: {
          middleware: [jsonBody({ maxBytes: options.maxBodyBytes })],
          handler: petHandlers.createPet,
        },
      }),
      ...contractHandlers(rateLimitStatusContract, createRateLimitStatusHandlers(quotas)),
      listOrders() {
        throw new ApiError('not_implemented', errorMessages.not_implemented);
      },
      ...files,
    }),
  );
  app.use(`/${apiVersion}`, showQuotaOnFailure(quotas));
  app.use(errorMapper(options.report));
  return app;
}
