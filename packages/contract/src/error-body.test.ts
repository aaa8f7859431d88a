import { expect, test } from 'vitest';
import { ErrorBody } from './error-body.ts';

test('an error body has a code, a message and a status, and accepts unknown codes', () => {
  const body = { code: 'a_code_of_tomorrow', message: 'Something new.', status: 418 };
  expect(ErrorBody.parse(body)).toEqual(body);
  for (const member of ['code', 'message', 'status']) {
    expect(ErrorBody.safeParse({ ...body, [member]: undefined }).success, member).toBe(false);
  }
  expect(ErrorBody.safeParse({ ...body, status: '418' }).success).toBe(false);
});
