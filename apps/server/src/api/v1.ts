import { apiVersion, errorMessages, operations, ordersContract } from '@animal-store/contract';
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import { type ErrorRequestHandler, type IRouter, type RequestHandler, Router } from 'express';
import {
  answerOptions,
  endpointOptions,
  refuseOtherMethods,
  refusePath,
} from '../http/endpoints.ts';
import { HttpError } from '../http/http-error.ts';
import { refuseMalformedPath } from '../http/malformed-path.ts';
import { petContract } from '../pets/pet-handlers.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { AppOptions } from './app.ts';
import { createIdentification } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { allowOrigins, answerPreflight } from './cors.ts';
import { createQuotaEnforcement } from './enforce-quota.ts';
import { createRateLimitStatusHandlers, statusContract } from './rate-limit-status-handler.ts';

const prefix = `/${apiVersion}`;

/** The contract with the whole path. */
const orders = initContract().router(ordersContract, { pathPrefix: prefix });

/**
 * Adds the versioned API to an app.
 *
 * Its operations are routes of the app itself, with their whole paths. In a Router of their own that is
 * mounted at `/v1`, Express would parse each URL once more: 5 to 12 % of the CPU time of a request.
 */
export function addV1(app: IRouter, options: AppOptions, answer: ErrorRequestHandler): void {
  const { keys, quotas, petHandlers, baseUrl } = options;
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
  const prepare = [allowOrigins(options.corsOrigins), announceDeprecation(baseUrl)];
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

  createExpressEndpoints(petContract, petHandlers, app, endpoints);
  createExpressEndpoints(statusContract, createRateLimitStatusHandlers(quotas), app, endpoints);
  createExpressEndpoints(orders, { listOrders }, app, endpoints);
  // Not mounted at `/v1`: messages and logs need the whole path.
  app.use(answerFailure);

  const rest = Router({ caseSensitive: true, strict: true });
  answerOptions(rest, Object.values(operations), [...beforeOthers, tellQuotaBefore]);
  refuseOtherMethods(rest, Object.values(operations), others);
  rest.use(others, refusePath, answerFailure);
  app.use(prefix, rest);
}

/**
 * Answers what a step passes to `next` at once. Express would pass it through every further layer of the
 * route and the router, for a tenth of the time of a refused request.
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
