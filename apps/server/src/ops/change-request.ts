import type { Response } from 'express';
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

/** @throws {HttpError} for a refusal. */
export function accepted<Result>(result: Result | Refusal): Result {
  if (result instanceof Refusal) throw new HttpError(result.code, result.message);
  return result;
}
