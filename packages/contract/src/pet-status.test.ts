import { expect, test } from 'vitest';
import { PetStatus } from './pet.ts';
import { isPetStatus, petStatuses } from './pet-status.ts';

test('the list of statuses equals the statuses of the schema', () => {
  expect(petStatuses).toEqual(PetStatus.options);
});

test.each([
  ['sold', true],
  ['lost', false],
  ['', false],
  [undefined, false],
])('isPetStatus returns for %j: %s', (status, expected) => {
  expect(isPetStatus(status)).toBe(expected);
});
