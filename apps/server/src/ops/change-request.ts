import type { ErrorRequestHandler, Response } from 'express';
import type { Cause } from '../audit/audit-log.ts';
import { HttpError } from '../http/http-error.ts';
import { Refusal } from '../keys/refusal.ts';
import type { Operator } from './authenticate-operator.ts';

/** The operator that the admission found. */
export function operatorOf({ locals: { operator } }: Response): Operator {
  if (operator === undefined) {
    throw new TypeError('A request without an operator reached a handler.');
  }
  return operator;
}

/** The cause of a change that an operator requested, for the audit log. */
export function causeOf(res: Response, { reason }: { reason?: string | undefined }): Cause {
  return { actor: operatorOf(res).actor, requestId: res.locals.requestId, reason };
}

/** Turns a refusal into an error of the admin API. It comes before the error mapper. */
export const translateRefusal: ErrorRequestHandler = (failure, _req, _res, next) => {
  next(failure instanceof Refusal ? new HttpError(failure.code, failure.message) : failure);
};
