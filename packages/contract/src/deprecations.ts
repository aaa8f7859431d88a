import { routes } from './routes.ts';

/**
 * When an operation was deprecated, when it ends, and what replaces it. Dates are UTC.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `Deprecation`, RFC 8594 for `Sunset`.
 */
export const deprecations = {
  getPet: {
    deprecatedAt: new Date('2026-11-21T00:00:00Z'),
    sunsetAt: new Date('2030-12-05T00:00:00Z'),
    successor: routes.listPets,
  },
} as const;
