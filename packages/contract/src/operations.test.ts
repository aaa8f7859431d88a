import { expect, test } from 'vitest';
import { operations } from './operations.ts';

test('the numbers of the operations in the usage tables are unique, and consecutive from 1', () => {
  const codes = Object.values(operations).map(({ metadata }) => metadata.usageCode);
  expect(codes.toSorted()).toEqual(codes.map((_, index) => index + 1));
});
