import { expect, test } from 'vitest';
import { usageOperations } from './admin-usage.ts';

test('the usage ledger keeps the numbers that it has stored', () => {
  const stored = ['none', 'listPets', 'createPet', 'getPet', 'listOrders', 'getRateLimit'];
  expect(usageOperations).toEqual(stored);
});
