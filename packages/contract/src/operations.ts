import { contract } from './contract.ts';
import type { DescribedRoutes } from './operation-metadata.ts';
import { ordersContract } from './orders.ts';
import { rateLimitStatusContract } from './rate-limit-status.ts';

/** The name of an operation of the public API, in any of its contracts. */
export type Operation =
  | keyof typeof contract
  | keyof typeof rateLimitStatusContract
  | keyof typeof ordersContract;

/** Every operation of the public API. An operation without complete metadata does not compile. */
export const operations = {
  ...contract,
  ...rateLimitStatusContract,
  ...ordersContract,
} satisfies DescribedRoutes<Operation>;
