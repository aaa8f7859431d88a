import { expect, test } from 'vitest';
import { operations } from './operations.ts';

test('the operations have consecutive usage codes, beginning with 1', () => {
  const codes = Object.values(operations).map(({ metadata }) => metadata.usageCode);
  expect(codes.toSorted()).toEqual(codes.map((_, index) => index + 1));
});
