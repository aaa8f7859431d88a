import { adminContract, createAdminOpenApi } from '@animal-store/admin-contract';
import {
  answerOtherMethods,
  endpointOptions,
  jsonBody,
  refusePath,
} from '@animal-store/http-server';
import { runUntilAbandoned } from '@animal-store/postgres';
import { createExpressEndpoints } from '@ts-rest/express';
import compression from 'compression';
import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { createAccountHandlers } from './account-handlers.ts';
import { type AdminServices, translateRefusal } from './admin-operation.ts';
import { createAuditHandlers } from './audit-handlers.ts';
import { createKeyHandlers } from './key-handlers.ts';
import { createOperatorHandlers } from './operator-handlers.ts';
import { createOverviewHandlers } from './overview-handlers.ts';
import { createSessionHandlers } from './session-handlers.ts';
import { createUsageHandlers } from './usage-handlers.ts';

const openApi = { method: 'GET', path: '/openapi.json' } as const;

/**
 * The compression of responses, only for GET. Other responses may contain both a new token and a
 * name that another person has chosen. From the size of a compressed response, an eavesdropper who
 * chooses such names could guess the token (BREACH, CVE-2013-3587).
 */
const compress = compression({ filter: ({ method }) => method === 'GET' });

const readBody: RequestHandler = function readAdminBody(req, res, next) {
  return hasBody(req) ? jsonBody(req, res, next) : next();
};

/**
 * Cancels the SQL statements of an operator's GET when the operator disconnects, or when the
 * request has failed before all its statements have ended. Otherwise, they would delay the
 * statements of later requests.
 *
 * A change is carried out to its end, even if the operator has disconnected. For example, a new
 * plan of an account is followed by statements that move the bans of its API keys.
 */
const cancelAtEnd: RequestHandler = function cancelWhenEnded(req, res, next) {
  if (req.tsRestRoute?.method !== 'GET') return next();
  const abandoned = new AbortController();
  res.on('close', () => abandoned.abort());
  runUntilAbandoned(abandoned.signal, next);
};

function hasBody({ tsRestRoute }: Request): boolean {
  return tsRestRoute?.body instanceof z.ZodType;
}

/**
 * Creates the router of the admin API.
 *
 * @param admit a middleware that admits only operators. It runs a second time after the request
 * body has arrived, because the operator may have been revoked in the meantime.
 */
export function createAdminRouter(
  services: AdminServices,
  admit: RequestHandler,
  answerFailure: ErrorRequestHandler,
): Router {
  const admin = Router({ caseSensitive: true, strict: true });
  const admitAgain: RequestHandler = function admitAfterBody(req, res, next) {
    return hasBody(req) ? admit(req, res, next) : next();
  };
  const handlers = {
    ...createKeyHandlers(services),
    ...createAccountHandlers(services),
    ...createOperatorHandlers(services),
    ...createUsageHandlers(services),
    ...createOverviewHandlers(services),
    ...createSessionHandlers(services),
    ...createAuditHandlers(services),
  };
  createExpressEndpoints(adminContract, handlers, admin, {
    ...endpointOptions,
    globalMiddleware: [compress, admit, readBody, admitAgain, cancelAtEnd],
  });
  admin.get(openApi.path, compress, admit, showOpenApi());
  answerOtherMethods(admin, [...Object.values(adminContract), openApi], admit);
  admin.use(admit, refusePath);
  admin.use(translateRefusal, answerFailure);
  return admin;
}

function showOpenApi(): RequestHandler {
  // The OpenAPI document is created at the first request for it, because most processes never need
  // it.
  let document: object | undefined;
  return function answerOpenApi(_req, res) {
    document ??= createAdminOpenApi();
    res.json(document);
  };
}
