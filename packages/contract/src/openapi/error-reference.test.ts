import { expect, test } from 'vitest';
import { errorCodes } from '../error-codes.ts';
import { describeErrors } from './index.ts';

const errors = describeErrors();

test('every code is described, in the order of the statuses', () => {
  expect(errors.map(({ code }) => code).sort()).toEqual(Object.keys(errorCodes).sort());
  const statuses = errors.map(({ status }) => status);
  expect(statuses).toEqual(statuses.toSorted((a, b) => a - b));
});

test.each(errors)('$code has causes, advice and an example with its headers', (error) => {
  expect(error.causes.length).toBeGreaterThan(0);
  for (const text of [error.when, error.advice, ...error.causes]) expect(text).toMatch(/\.$/);
  expect(error.example.body).toMatchObject({ code: error.code, status: error.status });
  const { headers, body } = error.example;
  expect(Object.keys(headers)).toEqual(errorCodes[error.code].headers ?? []);
  // Whatever is worth repeating at a certain time says when, twice: in the header and in the message.
  const seconds = /Retry after (\d+) s/.exec(body.message)?.[1];
  expect(headers['Retry-After']).toBe(seconds);
  expect(error.advice.includes('`Retry-After`')).toBe(seconds !== undefined);
});
