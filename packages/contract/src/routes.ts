/** The version segment that every path lives under. */
export const apiVersion = 'v1';

/**
 * Method and path of each operation, relative to the base address, which ends with `/v1`.
 * Plain data: a client needs no more of the contract at run time.
 */
export const routes = {
  listPets: { method: 'GET', path: '/pets' },
  createPet: { method: 'POST', path: '/pets' },
  getPet: { method: 'GET', path: '/pets/:petId' },
} as const;

/** The operation of the rate-limit status, which has a contract of its own. */
export const rateLimitStatusRoutes = {
  getRateLimit: { method: 'GET', path: '/rate-limit' },
} as const;

/** The name of an operation on animals. */
export type OperationName = keyof typeof routes;
