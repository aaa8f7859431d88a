import { expect, test } from 'vitest';
import { operations } from './operations.ts';

test('each operation has the next number of the usage ledger', () => {
  const codes = Object.values(operations).map(({ metadata }) => metadata.usageCode);
  expect(codes.toSorted()).toEqual(codes.map((_, index) => index + 1));
});
