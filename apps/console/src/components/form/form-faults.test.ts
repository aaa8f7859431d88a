import { expect, test } from 'vitest';
import { readFaults } from './form-faults.ts';

const date = 'Choose a time in the future.';
const number = 'Enter a whole number from 1 to 2,147,483,647.';
const text = 'Enter 1 to 255 characters, without control characters.';
const token = 'Remove the token: anyone who reads this text could use it.';

test.each([
  [
    'expiresAt: expected a time in the future, got "2020-01-01T00:00:00Z"; quota.perDay: expected an integer from 1 to 2147483647, got 0',
    { expires: date, perDay: number },
  ],
  // The submitted name contains text that looks like another error.
  [
    'name: expected no token: everybody could use it, got "a; account: expected \\"b"',
    { name: token },
  ],
  // The service has shortened the submitted account name in its message.
  [
    'account: expected 1 to 255 characters, got "xxxx…; expiresAt: expected a time in the future, got "2020"',
    { account: text, expires: date },
  ],
  // The error is about a value that has no field in the form.
  ['quota: expected none, got an object', undefined],
])(
  'readFaults assigns each error in a message to the form field that the error concerns: %s',
  (message, faults) => {
    expect(readFaults(message)).toEqual(faults);
  },
);
