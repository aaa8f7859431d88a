import { expect, test } from 'vitest';
import { usageOperations } from './admin-usage.ts';

test('usageOperations keeps the order of the operations, because the database stores the index of each operation', () => {
  const stored = ['none', 'listPets', 'createPet', 'getPet', 'listOrders', 'getRateLimit'];
  expect(usageOperations).toEqual(stored);
});
