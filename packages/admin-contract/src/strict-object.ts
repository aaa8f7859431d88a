import { z } from 'zod';

/**
 * Creates the schema of an object that refuses unknown members. The public API ignores unknown
 * members. In the admin API, a misspelt `expiresAT` must not create a key that never expires.
 */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const members = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `expected only the members ${members}`
        : `expected a JSON object of ${members}`,
  });
}
