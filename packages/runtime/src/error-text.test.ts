import { expect, test } from 'vitest';
import { errorText } from './error-text.ts';

const refused = new Error('connect ECONNREFUSED ::1:5433');
const unreachable = new Error('connect ENETUNREACH 192.0.2.1:5433');

test.each<readonly [text: string, error: unknown]>([
  ['a fault', new Error('a fault', { cause: refused })],
  [`${refused.message}; ${unreachable.message}`, new AggregateError([refused, unreachable])],
  [refused.message, new AggregateError([refused, new AggregateError([refused])])],
  [`all failed; ${refused.message}`, new AggregateError([refused], 'all failed')],
  [refused.message, new TypeError('', { cause: refused })],
  ['TypeError', new TypeError('')],
  ['AggregateError', new AggregateError([])],
  ['a text', 'a text'],
])('errorText returns the text %j', (text, error) => {
  expect(errorText(error)).toBe(text);
});

test('errorText ends for an error that is its own cause', () => {
  const error = new RangeError('');
  error.cause = new AggregateError([error]);
  expect(errorText(error)).toBe('RangeError');
});
