import { expect, test } from 'vitest';
import { PetStatus } from './pet.ts';
import { isPetStatus, petStatuses } from './pet-status.ts';

test('petStatuses contains the same statuses as the schema PetStatus', () => {
  expect(petStatuses).toEqual(PetStatus.options);
});

test.each([
  ['sold', true],
  ['lost', false],
  ['', false],
  [undefined, false],
])('isPetStatus for the value %j returns %s', (status, expected) => {
  expect(isPetStatus(status)).toBe(expected);
});
