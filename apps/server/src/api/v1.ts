import {
  errorMessages,
  operations,
  ordersContract,
  rateLimitStatusContract,
} from '@animal-store/contract';
import { createExpressEndpoints } from '@ts-rest/express';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import {
  answerOptions,
  endpointOptions,
  refuseOtherMethods,
  refusePath,
} from '../http/endpoints.ts';
import { HttpError } from '../http/http-error.ts';
import { refuseMalformedPath } from '../http/malformed-path.ts';
import { shedLoad } from '../http/shed-load.ts';
import { petContract } from '../pets/pet-handlers.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { AppOptions } from './app.ts';
import { createIdentification } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { allowOrigins, answerPreflight } from './cors.ts';
import { createQuotaEnforcement } from './enforce-quota.ts';
import { createRateLimitStatusHandlers } from './rate-limit-status-handler.ts';

/** Creates the router of the versioned API. Its paths are relative to `/v1`. */
export function createV1(options: AppOptions, answer: ErrorRequestHandler): Router {
  const { loadShedder, keys, quotas, petHandlers, baseUrl } = options;
  const identify = createIdentification(keys, quotas.networks);
  const { enforceQuota, tellNetworkQuota, tellQuotaOnFailure } = createQuotaEnforcement(quotas);

  const answerFailure: ErrorRequestHandler = function answerFailureWithQuota(
    failure,
    req,
    res,
    next,
  ) {
    tellQuotaOnFailure(req, res);
    answer(failure, req, res, next);
  };

  // On the routes and not before them: a request that is refused is logged with its route, too.
  const prepare = [
    allowOrigins(options.corsOrigins),
    announceDeprecation(baseUrl),
    answerRefusals(shedLoad(loadShedder), answerFailure),
  ];
  const admit = [
    identify,
    answerRefusals(enforceQuota, answerFailure),
    answerRefusals(authorize, answerFailure),
  ];
  const endpoints = {
    ...endpointOptions,
    globalMiddleware: [...prepare, ...admit, refuseMalformedPath],
  };
  // Only here: no operation has the method OPTIONS.
  const beforeOthers = [...prepare, answerPreflight(options.corsOrigins, tellNetworkQuota)];
  const others = [...beforeOthers, ...admit];
  const tellQuotaBefore: RequestHandler = function tellQuotaOfNetwork(req, res, next) {
    tellNetworkQuota(req, res);
    next();
  };
  const statusHandlers = createRateLimitStatusHandlers(quotas);

  const v1 = Router({ caseSensitive: true, strict: true });
  createExpressEndpoints(petContract, petHandlers, v1, endpoints);
  createExpressEndpoints(rateLimitStatusContract, statusHandlers, v1, endpoints);
  createExpressEndpoints(ordersContract, { listOrders }, v1, endpoints);
  answerOptions(v1, Object.values(operations), [...beforeOthers, tellQuotaBefore]);
  refuseOtherMethods(v1, Object.values(operations), others);
  v1.use(others, refusePath);
  v1.use(answerFailure);
  return v1;
}

/**
 * Answers what a step passes to `next` at once. Express would pass it through every further layer of the
 * route and the router, for a sixth of the time of a refused request.
 */
function answerRefusals(step: RequestHandler, answerFailure: ErrorRequestHandler): RequestHandler {
  return function runStep(req, res, next) {
    return step(req, res, (refusal?: unknown) => {
      if (refusal === undefined) next();
      else answerFailure(refusal, req, res, next);
    });
  };
}

async function listOrders(): Promise<never> {
  throw new HttpError('not_implemented', errorMessages.not_implemented);
}
