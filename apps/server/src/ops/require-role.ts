import {
  adminErrorMessages,
  adminRoutes,
  type OperatorRole,
  operatorRoles,
} from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';

/** Refuses operators without the role that the operation needs, before anything of it is read. */
export const requireRole: RequestHandler = function refuseLesserRoles(req, res, next) {
  const { actor } = res.locals;
  const needed = req.tsRestRoute?.role ?? 'owner';
  if (actor !== undefined && rankOf(actor.role) >= rankOf(needed)) return next();
  next(new HttpError('forbidden', adminErrorMessages.forbidden(needed)));
};

/** The operations of the contract that a role allows. */
export function operationsOf(role: OperatorRole): string[] {
  return Object.entries(adminRoutes)
    .filter(([, route]) => rankOf(role) >= rankOf(route.role))
    .map(([operation]) => operation);
}

/** Each role may do what those before it may. */
const rankOf = (role: OperatorRole): number => operatorRoles.indexOf(role);
