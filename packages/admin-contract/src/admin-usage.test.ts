import { expect, test } from 'vitest';
import { usageOperations } from './admin-usage.ts';

test('usageOperations lists each operation at the position that the database stores', () => {
  const stored = ['none', 'listPets', 'createPet', 'getPet', 'listOrders', 'getRateLimit'];
  expect(usageOperations).toEqual(stored);
});
