import { z } from 'zod';
import { pageLimit } from './page-limit-bounds.ts';

const limit = { error: `expected one integer from ${pageLimit.min} to ${pageLimit.max}` };

/**
 * The schema of the `limit` parameter. Callers pass a number, and the service reads a string from
 * the query. `z.coerce.number()` would also accept '', '0x10', '1e1' and ' 5 ' as numbers.
 */
export const PageLimit = z.codec(
  z.union([z.string(limit).regex(/^[1-9]\d{0,2}$/, limit), z.int(limit)], limit),
  z.int(limit).min(pageLimit.min, limit).max(pageLimit.max, limit),
  { decode: Number, encode: String },
);

export const PageCursor = z
  .string({ error: 'expected one cursor from a Link header' })
  .describe(
    'Where the page starts: the opaque cursor of the `Link` header of the previous page. Follow that link instead of building one.',
  );
