import { z } from 'zod';

/**
 * Creates the schema of an object that refuses unknown properties. The public API ignores unknown
 * properties. In the admin API, a misspelt `expiresAT` must not create an API key that never
 * expires.
 */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const properties = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `expected only the properties ${properties}`
        : `expected a JSON object of ${properties}`,
  });
}
