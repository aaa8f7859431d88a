/** The version segment of every path. */
export const apiVersion = 'v1';

/**
 * The method and path of each operation, relative to the base address, which ends with `/v1`. This
 * file contains only data, because a client needs nothing else of the contract at run time.
 */
export const routes = {
  listPets: { method: 'GET', path: '/pets' },
  createPet: { method: 'POST', path: '/pets' },
  getPet: { method: 'GET', path: '/pets/:petId' },
} as const;

/** The operation of the rate-limit status, which has its own contract. */
export const rateLimitStatusRoutes = {
  getRateLimit: { method: 'GET', path: '/rate-limit' },
} as const;

/** The name of an operation on animals. */
export type OperationName = keyof typeof routes;
