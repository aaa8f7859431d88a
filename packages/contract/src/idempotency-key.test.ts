import { expect, test } from 'vitest';
import { CreatePetHeaders } from './idempotency-key.ts';

const isValid = (key: unknown) => CreatePetHeaders.safeParse({ 'idempotency-key': key }).success;

test.each(['a', '7f1c9a52-4b1e-4b55-8d0c-0a9d6c3f2e10', '!"#~', 'x'.repeat(255), undefined])(
  'the key %j is valid',
  (key) => {
    expect(isValid(key)).toBe(true);
  },
);

test.each(['', ' ', 'a b', 'a, b', 'a\n', 'é', 'x'.repeat(256), 7, null, ['a']])(
  'the key %j is refused',
  (key) => {
    expect(isValid(key)).toBe(false);
  },
);
