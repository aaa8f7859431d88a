import type { Response } from 'express';
import type { Cause } from '../audit/audit-log.ts';

/** The cause of a change that an operator requested, for the audit log. */
export function causeOf(
  { locals }: Pick<Response, 'locals'>,
  { reason }: { reason?: string | undefined },
): Cause {
  const { actor, requestId } = locals;
  if (actor === undefined) throw new TypeError('A change has no actor.');
  return { actor, requestId, reason };
}
