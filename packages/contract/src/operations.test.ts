import { expect, test } from 'vitest';
import { operations } from './operations.ts';

test('each operation has a number of its own for the usage tables, and the numbers are consecutive from 1', () => {
  const codes = Object.values(operations).map(({ metadata }) => metadata.usageCode);
  expect(codes.toSorted()).toEqual(codes.map((_, index) => index + 1));
});
