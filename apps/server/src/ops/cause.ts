import type { Response } from 'express';
import type { Cause } from '../audit/audit-log.ts';

/** Where a change comes from that an operator asks for. */
export function causeOf(
  { locals }: Pick<Response, 'locals'>,
  { reason }: { reason?: string | undefined },
): Cause {
  const { actor, requestId } = locals;
  if (actor === undefined) throw new TypeError('A change has no actor.');
  return { actor, requestId, reason };
}
