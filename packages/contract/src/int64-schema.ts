import { z } from 'zod';
import { int64Max, int64Min, parseInt64 } from './int64.ts';

const int64 = { error: 'expected a 64-bit integer' };

/** With `format: int64`, the OpenAPI document has one integer for the union in TypeScript. */
export const Int64Schema = z
  .union([z.int(int64), z.bigint().min(int64Min, int64).max(int64Max, int64)], int64)
  .meta({ type: 'integer', format: 'int64' });

/**
 * A number for callers, and a string for the service, which reads it from a path or a query. The
 * string comes first, because a union tries its members in order, and the service reads one with
 * each request.
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
