import { z } from 'zod';

const key = { error: 'expected 1 to 255 visible ASCII characters' };

/** The schema of the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header-07). */
const IdempotencyKey = z
  .string(key)
  .regex(/^[\x21-\x7e]{1,255}$/, key)
  .meta({
    description:
      'Makes the request safe to repeat. Use a new value for each animal: 1 to 255 visible ASCII characters, such as a UUID. See the guide to idempotency.',
    examples: ['7f1c9a52-4b1e-4b55-8d0c-0a9d6c3f2e10'],
    pattern: '^[\\x21-\\x7e]+$',
    minLength: 1,
    maxLength: 255,
  });

/**
 * The schema of the headers of a request that adds an animal. The names are in lower case, as in
 * Node. The headers are one object schema, because ts-rest cannot infer the types from a record of
 * zod 4 schemas.
 */
export const CreatePetHeaders = z.object({ 'idempotency-key': IdempotencyKey.optional() });
