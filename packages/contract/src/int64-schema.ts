import { z } from 'zod';
import { int64Max, int64Min, parseInt64 } from './int64.ts';

const int64 = { error: 'expected a 64-bit integer' };

/**
 * The schema of a 64-bit integer. TypeScript sees a union of `number` and `bigint`. The OpenAPI
 * document contains one integer with `format: int64`.
 */
export const Int64Schema = z
  .union([z.int(int64), z.bigint().min(int64Min, int64).max(int64Max, int64)], int64)
  .meta({ type: 'integer', format: 'int64' });

/**
 * The schema of a 64-bit integer in a path or a query. Callers pass a number. The service reads a
 * string.
 *
 * A union tries its schemas in order. The schema of a string comes first, because the service reads
 * a string in each request, and a failed attempt costs time.
 */
export const Int64Parameter = z.codec(z.union([z.string(int64), Int64Schema], int64), Int64Schema, {
  decode: (value, context) => {
    const number = typeof value === 'string' ? parseInt64(value) : value;
    if (number !== undefined) return number;
    context.issues.push({ code: 'custom', input: value, message: int64.error });
    return z.NEVER;
  },
  encode: String,
});
