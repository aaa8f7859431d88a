import {
  apiVersion,
  deprecations,
  type OperationName,
  rateLimitStatusRoutes,
  routes,
} from '@animal-store/contract';
import type { Route } from '../http/route-table.ts';

/** The name of an operation: one of the contracts', or the orders, which have no contract yet. */
export type Operation = OperationName | keyof typeof rateLimitStatusRoutes | 'listOrders';

interface OperationRoute extends Route {
  /** The planned end of the operation, if there is one. */
  readonly deprecation?: (typeof deprecations)[keyof typeof deprecations];
}

const operations: Record<Operation, OperationRoute> = {
  ...routes,
  ...rateLimitStatusRoutes,
  getPet: { ...routes.getPet, deprecation: deprecations.getPet },
  listOrders: { method: 'GET', path: '/store/orders' },
};

/** The operations of the API, with whole paths. */
export const operationRoutes = Object.fromEntries(
  Object.entries<OperationRoute>(operations).map(([name, route]) => [
    name,
    { ...route, path: `/${apiVersion}${route.path}` },
  ]),
) as Record<Operation, OperationRoute>;
