import { routes } from './routes.ts';

/** The planned end of an operation. Dates are UTC. */
export interface Deprecation {
  readonly deprecatedAt: Date;
  readonly sunsetAt: Date;
  /**
   * The replacement. `:name` in the path stands for the path parameter of the deprecated operation.
   */
  readonly successor: { readonly path: string };
}

/**
 * When an operation was deprecated, when it ends, and what replaces it. This file contains only
 * data, because browsers load it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `Deprecation`, RFC 8594 for `Sunset`.
 */
export const deprecations = {
  getPet: {
    deprecatedAt: new Date('2026-11-21T00:00:00Z'),
    sunsetAt: new Date('2030-12-05T00:00:00Z'),
    successor: { path: `${routes.listPets.path}?ids=:petId` },
  },
} as const satisfies Record<string, Deprecation>;
