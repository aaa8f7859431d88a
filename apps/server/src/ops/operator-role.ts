import {
  adminErrorMessages,
  adminRoutes,
  type OperatorRole,
  operatorRoles,
} from '@animal-store/admin-contract';
import type { Request } from 'express';
import { AdminError } from './admin-error.ts';

/**
 * Returns the rank of an operator's role. Each role has all permissions of the roles with lower
 * ranks.
 */
const rankOf = (role: OperatorRole): number => operatorRoles.indexOf(role);

/** Returns the 403 error for an operator whose role is too low for the operation. */
export function missingRole(
  role: OperatorRole,
  { tsRestRoute }: Pick<Request, 'tsRestRoute'>,
): AdminError | undefined {
  const needed = operatorRoles.find((it) => it === tsRestRoute?.role) ?? 'owner';
  if (rankOf(role) >= rankOf(needed)) return undefined;
  return new AdminError('forbidden', adminErrorMessages.forbidden(needed));
}

/** Returns the names of the operations that a role allows. */
export function operationsOf(role: OperatorRole): string[] {
  return Object.entries(adminRoutes)
    .filter(([, route]) => rankOf(role) >= rankOf(route.role))
    .map(([operation]) => operation);
}
