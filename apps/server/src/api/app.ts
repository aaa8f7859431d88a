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
import { createRouteTable } from '../http/route-table.ts';
import { fileRoutes } from '../http/send-file.ts';
import type { LoadShedder } from '../http/shed-load.ts';
import { trackRequest } from '../http/track-request.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import type { GuideNumbers } from '../reference/guides.ts';
import { referenceHandlers } from '../reference/reference-handlers.ts';
import type { UsageCollector } from '../usage/usage-collector.ts';
import type { UsageOutcome } from '../usage/usage-entry.ts';
import { createAuthentication } from './authenticate.ts';
import { createCors } from './cors.ts';
import { routesWithDeprecation } from './deprecation-headers.ts';
import { createQuotaEnforcement } from './enforce-quota.ts';
import { createRateLimitStatusHandlers } from './rate-limit-status-handler.ts';
import type { RequestRecord, RequestTracing } from './request-record.ts';

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
  /** Called for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Called for each finished request. */
  readonly onEnd: readonly ((record: RequestRecord) => void)[];
  /** Counts each finished request that belongs in the usage ledger. */
  readonly countUsage: UsageCollector['count'];
  /** Counts live traffic. */
  readonly countTraffic: (outcome: UsageOutcome, durationMs: number) => void;
  readonly tracing: RequestTracing | undefined;
}

const operationsPrefix = `/${apiVersion}/`;

/** Creates the public API. {@link handleRequest} shows the order of the steps that every request takes. */
export function createApp(options: AppOptions): Express {
  const { loadShedder, keys, quotas, petHandlers, baseUrl, tracing } = options;
  const files = referenceHandlers({ ...options, origin: new URL(baseUrl).origin });
  const routes = createRouteTable({
    ...routesWithDeprecation(baseUrl),
    ...fileRoutes(files, '/docs/'),
  });
  const cors = createCors(options.corsOrigins);
  const { identify, requireKey } = createAuthentication(keys, quotas.networks);
  const { enforceQuota, tellNetworkQuota, tellQuotaOnFailure } = createQuotaEnforcement(quotas);
  const dispatch = routes.dispatch({
    ...contractHandlers(contract, {
      ...petHandlers,
      createPet: {
        middleware: [jsonBody],
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
    const traced = tracing?.start(req.headers);
    trackRequest(req, res, (outcome) => {
      const { operation, apiKey, tokenPrefix, decision } = res.locals;
      const record = { ...outcome, operation, apiKey, tokenPrefix, decision };
      countRequest(record);
      traced?.end(record);
    });
    function answer() {
      routes.find(req, res);
      cors.allowOrigin(req, res);
      return isOperation(req) ? handleOperation(req, res, next) : dispatch(req, res, next);
    }
    return traced === undefined ? answer() : traced.run(answer);
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
      const refused = (await enforceQuota(req, res)) ?? requireKey(req, res);
      if (refused !== undefined) answerFailure(refused, req, res, next);
      else await dispatch(req, res, next);
    } catch (failure) {
      tellQuotaOnFailure(req, res);
      throw failure;
    } finally {
      loadShedder.leave();
    }
  }

  function countRequest(record: RequestRecord) {
    for (const tell of options.onEnd) tell(record);
    // What was refused because the service could not answer is not in the ledger.
    const isRefused = record.errorCode === 'service_unavailable';
    const outcome = options.countUsage(record) ?? (isRefused ? 'server_error' : undefined);
    if (outcome !== undefined) options.countTraffic(outcome, record.durationMs);
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
