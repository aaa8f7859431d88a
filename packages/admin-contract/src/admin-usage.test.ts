import { expect, test } from 'vitest';
import { usageOperations } from './admin-usage.ts';

test('usageOperations keeps the index of each operation, because the database stores the index', () => {
  const stored = ['none', 'listPets', 'createPet', 'getPet', 'listOrders', 'getRateLimit'];
  expect(usageOperations).toEqual(stored);
});
