/**
 * The minimum, maximum and default of the `limit` of a list. This file contains no schemas, so that
 * clients can bundle it alone.
 */
export const pageLimit = { min: 1, max: 100, default: 20 } as const;
