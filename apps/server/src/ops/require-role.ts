import {
  adminErrorMessages,
  adminRoutes,
  type OperatorRole,
  operatorRoles,
} from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';
import { adminApiRoutes } from './ops-routes.ts';

const routes = new Map(Object.entries(adminApiRoutes));

/** Refuses operators without the role that the operation needs, before anything of it is read. */
export function requireRole(): RequestHandler {
  return function refuseLesserRoles(_req, res, next) {
    const { actor, operation } = res.locals;
    // An unknown path or method is answered 404 or 405 later.
    if (operation === undefined) return next();
    const needed = routes.get(operation)?.role ?? 'owner';
    if (actor === undefined || rankOf(actor.role) < rankOf(needed)) {
      throw new HttpError('forbidden', adminErrorMessages.forbidden(needed));
    }
    next();
  };
}

/** The operations of the contract that a role allows. */
export function operationsOf(role: OperatorRole): string[] {
  return Object.entries(adminRoutes)
    .filter(([, route]) => rankOf(role) >= rankOf(route.role))
    .map(([operation]) => operation);
}

/** Each role may do what those before it may. */
const rankOf = (role: OperatorRole): number => operatorRoles.indexOf(role);
