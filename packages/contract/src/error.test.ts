import { expect, test } from 'vitest';
import { ErrorBody, errorStatus, maxMessageBytes } from './error.ts';

test('every code has the status that the design gives it', () => {
  expect(errorStatus).toEqual({
    invalid_request: 400,
    invalid_json: 400,
    unauthorized: 401,
    pet_not_found: 404,
    not_found: 404,
    method_not_allowed: 405,
    idempotency_in_progress: 409,
    payload_too_large: 413,
    unsupported_media_type: 415,
    idempotency_key_reused: 422,
    rate_limit_exceeded: 429,
    key_temporarily_banned: 429,
    internal_error: 500,
    not_implemented: 501,
    service_unavailable: 503,
  });
  expect(maxMessageBytes).toBe(1024);
});

test('an error body has a code, a message and a status, and takes codes of tomorrow', () => {
  const body = { code: 'a_code_of_tomorrow', message: 'Something new.', status: 418 };
  expect(ErrorBody.parse(body)).toEqual(body);
  for (const member of ['code', 'message', 'status']) {
    expect(ErrorBody.safeParse({ ...body, [member]: undefined }).success, member).toBe(false);
  }
  expect(ErrorBody.safeParse({ ...body, status: '418' }).success).toBe(false);
});
