import {
  apiVersion,
  contract,
  errorMessages,
  rateLimitStatusContract,
} from '@animal-store/contract';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { contractHandlers } from '../http/contract-handlers.ts';
import { createExpress } from '../http/create-express.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { HttpError } from '../http/http-error.ts';
import { jsonBody } from '../http/json-body.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { createAuthentication } from './authenticate.ts';
import { createCors } from './cors.ts';
import { routesWithDeprecation } from './deprecation-headers.ts';
import { createQuotaEnforcement } from './enforce-quota.ts';
import './api-locals.ts';
import { setCommonHeaders } from '../http/common-headers.ts';
import { createRouteTable } from '../http/route-table.ts';
import { fileRoutes } from '../http/send-file.ts';
import type { LoadShedder } from '../http/shed-load.ts';
import type { GuideNumbers } from '../reference/guides.ts';
import { referenceHandlers } from '../reference/reference-handlers.ts';
import type { UsedRequest } from '../usage/usage-entry.ts';
import { createObserver, type RequestRecord, type RequestTracing } from './observe-requests.ts';
import { createRateLimitStatusHandlers } from './rate-limit-status-handler.ts';

export interface AppOptions extends GuideNumbers {
  readonly loadShedder: Pick<LoadShedder, 'enter' | 'leave'>;
  readonly keys: Pick<KeyCache, 'recall' | 'findByToken'>;
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
  readonly onEnd: readonly ((record: RequestRecord) => void)[];
  /** Called for each finished request that the usage ledger counts. */
  readonly countUsage: (request: UsedRequest) => void;
  /** Counts live traffic. @param outcome its place in the list of outcomes. */
  readonly countTraffic: (outcome: number, durationMs: number) => void;
  readonly tracing: RequestTracing | undefined;
}

const operationsPrefix = `/${apiVersion}/`;

/** Creates the public API. {@link handleRequest} shows the order of the steps that every request takes. */
export function createApp(options: AppOptions): Express {
  const { loadShedder, keys, quotas, petHandlers, baseUrl } = options;
  const files = referenceHandlers({ ...options, origin: new URL(baseUrl).origin });
  const routes = createRouteTable({
    ...routesWithDeprecation(baseUrl),
    ...fileRoutes(files, '/docs/'),
  });
  const observe = createObserver(options);
  const cors = createCors(options.corsOrigins);
  const { identify, requireKey } = createAuthentication(keys, quotas);
  const { enforceQuota, tellNetworkQuota, tellQuotaOnFailure } = createQuotaEnforcement(quotas);
  const dispatch = routes.dispatch({
    ...contractHandlers(contract, {
      ...petHandlers,
      createPet: {
        middleware: [jsonBody({ maxBytes: options.maxBodyBytes })],
        handler: petHandlers.createPet,
      },
    }),
    ...contractHandlers(rateLimitStatusContract, createRateLimitStatusHandlers(quotas)),
    listOrders() {
      throw new HttpError('not_implemented', errorMessages.not_implemented);
    },
    ...files,
  });
  const answerFailure = errorMapper(options.report);

  const handleRequest: RequestHandler = (req, res, next) => {
    setCommonHeaders(req, res);
    routes.find(req, res);
    return observe(req, res, async () => {
      try {
        cors.allowOrigin(req, res);
        if (isOperation(req)) await handleOperation(req, res, next);
        else await dispatch(req, res, next);
      } catch (failure) {
        answerFailure(failure, req, res, next);
      }
    });
  };

  async function handleOperation(req: Request, res: Response, next: NextFunction) {
    try {
      loadShedder.enter();
      if (cors.isPreflight(req)) {
        tellNetworkQuota(req, res);
        cors.answerPreflight(res);
        return;
      }
      await identify(req, res);
      await enforceQuota(req, res);
      requireKey(req, res);
      await dispatch(req, res, next);
    } catch (failure) {
      tellQuotaOnFailure(req, res);
      throw failure;
    } finally {
      loadShedder.leave();
    }
  }

  const app = createExpress();
  app.set('trust proxy', options.trustedProxies);
  app.use(handleRequest);
  app.use(answerFailure);
  return app;
}

/** Whether the path is one of the versioned API, known or not. */
function isOperation({ path }: Request): boolean {
  return path.startsWith(operationsPrefix) || path === `/${apiVersion}`;
}
