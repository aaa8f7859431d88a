import { apiVersion, errorMessages, operations, ordersContract } from '@animal-store/contract';
import type { DocsNumbers } from '@animal-store/docs';
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import { type ErrorRequestHandler, Router } from 'express';
import { createExpress } from '../http/create-express.ts';
import { answerOtherMethods, endpointOptions, refusePath } from '../http/endpoints.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServedApp } from '../http/listener.ts';
import { addFiles } from '../http/send-file.ts';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import { petContract } from '../pets/served-pet-contract.ts';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import { answerReaders } from './answer-readers.ts';
import type { ApiSettings } from './api-settings.ts';
import { docsHandlers } from './docs-handlers.ts';
import type { KnownKeys } from './identify-caller.ts';
import { type ObserverOptions, observeRequests } from './observe-requests.ts';
import { hasQuotaHeaders } from './quota-response.ts';
import { createRateLimitStatusHandlers, statusContract } from './rate-limit-status-handler.ts';
import { shedLoad, type TurnOptions } from './shed-load.ts';

/** What the steps of the API need, and what is for all of them. */
export interface AppOptions
  extends DocsNumbers,
    AdmissionOptions,
    ObserverOptions,
    TurnOptions,
    Pick<ApiSettings, 'stagingOrigin' | 'trustedProxies'> {
  readonly keys: KnownKeys;
  readonly petHandlers: ReturnType<typeof createPetHandlers>;
  /** Called for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
}

const prefix = `/${apiVersion}`;

/** The contract with the whole path. */
const orders = initContract().router(ordersContract, { pathPrefix: prefix });

/**
 * Creates the public API. It reads in the order of a request; its last line is what comes before: its turn.
 */
export function createApp(options: AppOptions): ServedApp {
  const { baseUrl, quotas, petHandlers, trustedProxies } = options;
  const answerFailure = errorMapper(options.report);
  const admission = createAdmission(options, answerFailure);
  const { admitCaller, admitFile, admitOptions, admitPage, admitUnknown } = admission;
  const answerCallFailure: ErrorRequestHandler = function answerCallFailure(
    failure,
    req,
    res,
    next,
  ) {
    // It failed before it was counted.
    if (!hasQuotaHeaders(res)) admission.tellNetworkQuota(req, res);
    answerFailure(failure, req, res, next);
  };

  const app = createExpress();
  app.set('trust proxy', trustedProxies);
  app.use(observeRequests(options));

  // Operations are routes of the app itself, with their whole paths: in a Router that is mounted at `/v1`,
  // Express would parse each URL once more, for 5 to 12 % of the CPU time of a request. Their admission is on
  // the routes and not before them: a request that is refused is logged with its route, too.
  const endpoints = { ...endpointOptions, globalMiddleware: [admitCaller] };
  createExpressEndpoints(petContract, petHandlers, app, endpoints);
  createExpressEndpoints(statusContract, createRateLimitStatusHandlers(quotas), app, endpoints);
  createExpressEndpoints(orders, { listOrders }, app, endpoints);
  // Not mounted at `/v1`: messages and logs need the whole path.
  app.use(answerCallFailure);

  const others = Router({ caseSensitive: true, strict: true });
  answerOtherMethods(others, Object.values(operations), admitCaller, admitOptions);
  others.use(admitUnknown, refusePath, answerCallFailure);
  app.use(prefix, others);

  // Whatever needs no key.
  const { pages, files } = docsHandlers({ ...options, origin: new URL(baseUrl).origin });
  addFiles(app, pages, admitPage);
  addFiles(app, files, admitFile);
  app.use(admitPage, refusePath, answerReaders(answerFailure));
  return { types: app, handle: shedLoad(app, { ...options, ...admission }) };
}

async function listOrders(): Promise<never> {
  throw new HttpError('not_implemented', errorMessages.not_implemented);
}
