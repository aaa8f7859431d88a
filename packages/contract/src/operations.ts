import { contract } from './contract.ts';
import type { DescribedRoutes } from './operation-metadata.ts';
import { ordersContract } from './orders.ts';
import { rateLimitStatusContract } from './rate-limit-status.ts';

/**
 * The name of an operation of the public API. The API has three contracts: animals, the rate-limit
 * status, and orders.
 */
export type Operation =
  | keyof typeof contract
  | keyof typeof rateLimitStatusContract
  | keyof typeof ordersContract;

/**
 * All operations of the public API. `satisfies` ensures that each operation has complete metadata.
 */
export const operations = {
  ...contract,
  ...rateLimitStatusContract,
  ...ordersContract,
} satisfies DescribedRoutes<Operation>;
