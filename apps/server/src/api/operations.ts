import {
  deprecations,
  type OperationName,
  rateLimitStatusRoutes,
  routes,
} from '@animal-store/contract';
import { createPathTable, type KnownPath, type Route } from '../http/path-table.ts';

/** The name of an operation: one of the contracts', or the orders, which have no contract yet. */
export type Operation = OperationName | keyof typeof rateLimitStatusRoutes | 'listOrders';

const table: Record<Operation, Route> = {
  ...routes,
  ...rateLimitStatusRoutes,
  listOrders: { method: 'GET', path: '/store/orders' },
};

/** Finds a path of the API, relative to `/v1`. */
export const findPath: (path: string) => KnownPath<Operation> | undefined = createPathTable(table);

/** The end of life of an operation, if one is planned. */
export function deprecationOf(operation: Operation | undefined) {
  return operation === 'getPet' ? deprecations[operation] : undefined;
}
