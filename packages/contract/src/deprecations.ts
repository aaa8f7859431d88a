import { routes } from './routes.ts';

/** The planned removal of an operation. The dates are in UTC. */
export interface Deprecation {
  readonly deprecatedAt: Date;
  readonly sunsetAt: Date;
  /**
   * The path of the replacement. `:name` in the path stands for the parameter of the same name in
   * the deprecated operation.
   */
  readonly successor: { readonly path: string };
}

/**
 * All deprecated operations: the date of the deprecation, the date of the removal, and the
 * replacement. This file contains only data, so that browsers can load it without schemas.
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
