/** The version segment at the beginning of every path. */
export const apiVersion = 'v1';

/**
 * The method and path of each operation on animals. Paths are relative to the base address, which
 * ends with `/v1`. This file contains only data, because clients need nothing else at run time.
 */
export const routes = {
  listPets: { method: 'GET', path: '/pets' },
  createPet: { method: 'POST', path: '/pets' },
  getPet: { method: 'GET', path: '/pets/:petId' },
} as const;

/**
 * The method and path of the operation that returns the quota state. This operation has a contract
 * of its own.
 */
export const rateLimitStatusRoutes = {
  getRateLimit: { method: 'GET', path: '/rate-limit' },
} as const;

/** The name of an operation on animals. */
export type OperationName = keyof typeof routes;
