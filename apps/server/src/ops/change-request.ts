import type { ErrorRequestHandler, Response } from 'express';
import type { Cause } from '../audit/audit-log.ts';
import { HttpError } from '../http/http-error.ts';
import { Refusal } from '../keys/refusal.ts';

/** The cause of a change that an operator requested, for the audit log. */
export function causeOf(
  { locals }: Pick<Response, 'locals'>,
  { reason }: { reason?: string | undefined },
): Cause {
  const { actor, requestId } = locals;
  if (actor === undefined) throw new TypeError('A change has no actor.');
  return { actor, requestId, reason };
}

/** Turns a refusal into an error of the admin API. It comes before the error mapper. */
export const translateRefusal: ErrorRequestHandler = (failure, _req, _res, next) => {
  next(failure instanceof Refusal ? new HttpError(failure.code, failure.message) : failure);
};
