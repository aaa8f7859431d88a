import type { ErrorRequestHandler, Response } from 'express';
import type { Cause } from '../audit/audit-log.ts';
import { HttpError } from '../http/http-error.ts';
import { Refusal } from '../keys/refusal.ts';
import type { Actor } from '../operators/operator-lookup.ts';

/** The operator that the authentication found. */
export function actorOf({ locals: { actor } }: Response): Actor {
  if (actor === undefined) throw new TypeError('A request without an operator reached a handler.');
  return actor;
}

/** The cause of a change that an operator requested, for the audit log. */
export function causeOf(res: Response, { reason }: { reason?: string | undefined }): Cause {
  return { actor: actorOf(res), requestId: res.locals.requestId, reason };
}

/** Turns a refusal into an error of the admin API. It comes before the error mapper. */
export const translateRefusal: ErrorRequestHandler = (failure, _req, _res, next) => {
  next(failure instanceof Refusal ? new HttpError(failure.code, failure.message) : failure);
};
