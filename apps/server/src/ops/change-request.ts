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

/** Reads an expiry that the contract has validated; `null` means never. */
export function readExpiry(expiresAt: string | null | undefined): Date | null | undefined {
  return typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt;
}
