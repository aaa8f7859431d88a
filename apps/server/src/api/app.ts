import { apiVersion, errorMessages, operations, ordersContract } from '@animal-store/contract';
import type { DocsNumbers } from '@animal-store/docs';
import {
  addFiles,
  answerOtherMethods,
  createExpress,
  endpointOptions,
  errorMapper,
  HttpError,
  refusePath,
} from '@animal-store/http-server';
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import { type ErrorRequestHandler, type Express, Router } from 'express';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import { petContract } from '../pets/served-pet-contract.ts';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import type { ApiSettings } from './api-settings.ts';
import { docsHandlers } from './docs-handlers.ts';
import { htmlErrors } from './html-errors.ts';
import type { KeyFinder } from './identify-caller.ts';
import { type ObserverOptions, observeRequests } from './observe-requests.ts';
import { hasQuotaHeaders } from './quota-response-headers.ts';
import { createRateLimitStatusHandlers, statusContract } from './rate-limit-status-handler.ts';
import { type LoadSheddingOptions, shedLoad } from './shed-load.ts';

/** The options of {@link createApp} and of the middleware that it creates. */
export interface AppOptions
  extends DocsNumbers,
    AdmissionOptions,
    ObserverOptions,
    LoadSheddingOptions,
    Pick<ApiSettings, 'stagingOrigin' | 'trustedProxies'> {
  readonly keys: KeyFinder;
  readonly petHandlers: ReturnType<typeof createPetHandlers>;
  /** A function that is called with the error and the request id for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
}

const prefix = `/${apiVersion}`;

/** The contract of `/v1/store/orders` with absolute paths. */
const orders = initContract().router(ordersContract, { pathPrefix: prefix });

/**
 * Creates the public API. The function adds its middleware in the order in which a request passes
 * through it.
 */
export function createApp(options: AppOptions): Express {
  const { baseUrl, quotas, petHandlers, trustedProxies } = options;
  const answerFailure = errorMapper(options.report);
  const admission = createAdmission(options, answerFailure);
  const { admitCaller, admitFile, admitOptions, admitPage, admitUnknown } = admission;
  const { admitPageOptions } = admission;
  const answerCallFailure: ErrorRequestHandler = function answerCallFailure(
    failure,
    req,
    res,
    next,
  ) {
    // A request that failed before it was counted has no quota headers yet. Its response shows the
    // quota of the caller's network.
    if (!hasQuotaHeaders(res)) admission.addNetworkQuota(req, res);
    answerFailure(failure, req, res, next);
  };

  const app = createExpress();
  app.set('trust proxy', trustedProxies);
  app.use(shedLoad({ ...options, ...admission }));
  app.use(observeRequests(options));

  // The operations are routes of the app itself, with absolute paths. A Router mounted at `/v1`
  // would parse each URL a second time. This would cost 5 to 12 % of a request's CPU time.
  // `admitCaller` runs after Express has found the route, so that the log of a refused request
  // names the route.
  const endpoints = { ...endpointOptions, globalMiddleware: [admitCaller] };
  createExpressEndpoints(petContract, petHandlers, app, endpoints);
  createExpressEndpoints(statusContract, createRateLimitStatusHandlers(quotas), app, endpoints);
  createExpressEndpoints(orders, { listOrders }, app, endpoints);
  // The error handler is not mounted at `/v1`. Express would remove `/v1` from the path, but error
  // messages and logs need the whole path.
  app.use(answerCallFailure);

  const others = Router({ caseSensitive: true, strict: true });
  answerOtherMethods(others, Object.values(operations), admitCaller, admitOptions);
  others.use(admitUnknown, refusePath, answerCallFailure);
  app.use(prefix, others);

  // The documentation needs no API key.
  const { pages, files } = docsHandlers({ ...options, origin: new URL(baseUrl).origin });
  addFiles(app, pages, { admit: admitPage, admitOptions: admitPageOptions });
  addFiles(app, files, { admit: admitFile, admitOptions: admitPageOptions });
  app.use(admitPage, refusePath, htmlErrors(answerFailure));
  return app;
}

async function listOrders(): Promise<never> {
  throw new HttpError('not_implemented', errorMessages.not_implemented);
}
