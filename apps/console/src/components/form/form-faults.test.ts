import { expect, test } from 'vitest';
import { readFaults } from './form-faults.ts';

const date = 'Choose a time in the future.';
const number = 'Enter a whole number from 1 to 2,147,483,647.';
const text = 'Enter 1 to 255 characters, without control characters.';
const token = 'This contains a token: anyone who sees it could use it.';

test.each([
  [
    'expiresAt: expected a time to come, got "2020-01-01T00:00:00Z"; quota.perDay: expected an integer from 1 to 2147483647, got 0',
    { expires: date, perDay: number },
  ],
  // This value looks like an error.
  [
    'name: expected no token: everybody could use it, got "a; account: expected \\"b"',
    { name: token },
  ],
  // This value was cut.
  [
    'account: expected 1 to 255 characters, got "xxxx…; expiresAt: expected a time to come, got "2020"',
    { account: text, expires: date },
  ],
  // This error belongs to no field.
  ['quota: expected none, got an object', undefined],
])('%s is reported at its fields', (message, faults) => {
  expect(readFaults(message)).toEqual(faults);
});
