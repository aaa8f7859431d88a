import { initContract } from '@ts-rest/core';
import { ErrorBody } from './error-body.ts';

/**
 * The contract of the orders. The format of an order is not decided yet, so the contract has no
 * successful response.
 */
export const ordersContract = initContract().router(
  {
    listOrders: {
      method: 'GET',
      path: '/store/orders',
      summary: 'List orders',
      description:
        'This operation is experimental and not implemented yet, because the format of an order is not decided. You cannot try the operation yet.',
      responses: {
        401: ErrorBody,
        403: ErrorBody,
        429: ErrorBody,
        500: ErrorBody,
        501: ErrorBody,
        503: ErrorBody,
      },
      metadata: {
        operation: 'listOrders',
        usageCode: 4,
        stability: 'experimental',
        // The orders have the scope `pets:read` only until they are implemented. API keys in web
        // pages have this scope, and must not read orders. So orders will get their own scope.
        scope: 'pets:read',
        quota: 'key',
      } as const,
    },
  },
  { strictStatusCodes: true, metadata: { tag: 'Orders' } },
);
