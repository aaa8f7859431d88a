import { expect, test } from 'vitest';
import { CreatePetHeaders } from './idempotency-key.ts';

test.each([
  [true, ['a', '7f1c9a52-4b1e-4b55-8d0c-0a9d6c3f2e10', '!"#~', 'x'.repeat(255), undefined]],
  [false, ['', ' ', 'a b', 'a, b', 'a\n', 'é', 'x'.repeat(256), 7, null, ['a']]],
])(
  'CreatePetHeaders accepts valid idempotency keys and refuses others: it returns %s for %j',
  (isValid, keys) => {
    for (const key of keys)
      expect(CreatePetHeaders.safeParse({ 'idempotency-key': key }).success, `${key}`).toBe(
        isValid,
      );
  },
);
