/**
 * The bounds of a list's `limit`. This file has no schemas, so that clients can bundle it alone.
 */
export const pageLimit = { min: 1, max: 100, default: 20 } as const;
