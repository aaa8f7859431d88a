import { expect, test } from 'vitest';
import { usageOperations } from './admin/index.ts';
import { operations } from './operations.ts';

test('the usage ledger keeps the numbers that it has stored', () => {
  const stored = ['none', 'listPets', 'createPet', 'getPet', 'listOrders', 'getRateLimit'];
  expect(usageOperations).toEqual(stored);
});

test('each operation has the next number of the usage ledger', () => {
  const codes = Object.values(operations).map(({ metadata }) => metadata.usageCode);
  expect(codes.toSorted()).toEqual(codes.map((_, index) => index + 1));
});
