import { maxLimit } from '@animal-store/contract/plan';
import { formatCount } from '../time/format.ts';

/**
 * The errors of a form, by the name of the field. Each error is the sentence that the form shows,
 * not the message of the API.
 */
export type FieldFaults = Readonly<Record<string, string>>;

/** The name of the form field for each value in the API, by the name of the value. */
const fieldNames: Readonly<Record<string, string>> = {
  name: 'name',
  account: 'account',
  reason: 'reason',
  expiresAt: 'expires',
  'quota.perMinute': 'perMinute',
  'quota.perDay': 'perDay',
};

/**
 * Matches a quoted value in an error message. The value may contain `; `, which separates errors. A
 * shortened value ends with an ellipsis and has no closing quote.
 */
const quoted = /"(?:(?:[^"\\]|\\.)*?\\?…(?=; |$)|(?:[^"\\]|\\.)*")/g;

/**
 * Splits the error message of a refused form into one error for each field. An example of a message
 * is `expiresAt: expected a time in the future, got "2020-01-01T00:00:00Z"`.
 *
 * @returns `undefined` if one of the errors belongs to no field.
 */
export function readFaults(message: string): FieldFaults | undefined {
  const faults: Record<string, string> = {};
  for (const fault of message.replaceAll(quoted, '""').split('; ')) {
    const [, path = '', expected = ''] = /^([\w.]+): expected (.*)$/.exec(fault) ?? [];
    const field = fieldNames[path];
    if (field === undefined) return undefined;
    faults[field] = wordsFor(field, expected);
  }
  return faults;
}

function wordsFor(field: string, expected: string): string {
  switch (field) {
    case 'expires':
      return expected.startsWith('a time in the future')
        ? 'Choose a time in the future.'
        : 'Choose a time before the year 10000.';
    case 'perMinute':
    case 'perDay':
      return `Enter a whole number from 1 to ${formatCount(maxLimit)}.`;
    default:
      return expected.startsWith('no token')
        ? 'Remove the token: anyone who reads this text could use it.'
        : 'Enter 1 to 255 characters, without control characters.';
  }
}
