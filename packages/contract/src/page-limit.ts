/** Bounds of a list's `limit`. Apart from the schemas, because the client needs it at run time and not zod. */
export const pageLimit = { min: 1, max: 100, default: 20 } as const;
