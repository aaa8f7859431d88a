import { afterEach, describe, expect, test, vi } from 'vitest';
import { AbortError } from './errors/abort-error.ts';
import type { AnimalStoreError } from './errors/animal-store-error.ts';
import { ConnectionError } from './errors/connection-error.ts';
import { createApiError } from './errors/create-api-error.ts';
import { TimeoutError } from './errors/timeout-error.ts';
import { retryDelayMs } from './retry-delay.ts';

const maxRetryAfterMs = 60_000;
const call = {
  operation: 'listPets',
  method: 'GET',
  url: 'https://store.example/v1/pets',
  attempts: 1,
};

function failure(status: number, code?: string, retryAfter?: string) {
  const headers = new Headers(retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
  return createApiError({ status, code, detail: 'it failed', headers }, call);
}

function delay(error: AnimalStoreError, { attempt = 1, random = 0.5 } = {}) {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  return retryDelayMs(error, attempt, maxRetryAfterMs);
}

afterEach(() => vi.restoreAllMocks());

describe('what passes is tried again', () => {
  test.each([
    failure(408),
    failure(409, 'idempotency_in_progress'),
    failure(429, 'rate_limit_exceeded'),
    failure(429),
    failure(500, 'internal_error'),
    failure(502),
    failure(503, 'service_unavailable'),
    failure(504),
    new ConnectionError('no answer', call),
    new TimeoutError('no answer in time', call),
  ])('%s', (error) => {
    expect(delay(error)).toBe(250);
  });
});

describe('what does not pass is not', () => {
  test.each([
    failure(200),
    failure(302),
    failure(400, 'invalid_request'),
    failure(401, 'unauthorized'),
    failure(404, 'pet_not_found'),
    failure(405),
    failure(409),
    failure(409, 'another_conflict'),
    failure(413),
    failure(415),
    failure(418),
    failure(422, 'idempotency_key_reused'),
    failure(429, 'key_temporarily_banned', '1'),
    failure(501, 'not_implemented'),
    failure(505),
    failure(599),
    new AbortError('aborted', call),
  ])('%s', (error) => {
    expect(delay(error)).toBeUndefined();
  });
});

describe('the backoff', () => {
  test.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 8_000],
    [6, 8_000],
    [50, 8_000],
  ])('after attempt %i is anything up to %i ms', (attempt, most) => {
    const error = failure(500);
    expect(delay(error, { attempt, random: 0 })).toBe(0);
    expect(delay(error, { attempt, random: 0.25 })).toBe(most / 4);
    expect(delay(error, { attempt, random: 1 })).toBe(most);
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('of a %i is waited for, and up to a tenth longer', (status) => {
    const error = failure(status, undefined, '30');
    expect(delay(error, { random: 0 })).toBe(30_000);
    expect(delay(error, { random: 0.5 })).toBe(31_500);
    expect(delay(error, { random: 1 })).toBe(33_000);
    expect(delay(error, { attempt: 5, random: 0 })).toBe(30_000);
  });

  test.each([429, 503])('of a %i is waited for up to the maximum', (status) => {
    expect(delay(failure(status, undefined, '60'), { random: 1 })).toBe(66_000);
    expect(delay(failure(status, undefined, '61'))).toBeUndefined();
    expect(delay(failure(status, undefined, '1795219200'))).toBeUndefined();
  });

  test.each([408, 500, 502, 504])('of a %i is not heeded', (status) => {
    expect(delay(failure(status, undefined, '30'))).toBe(250);
    expect(delay(failure(status, undefined, '3600'))).toBe(250);
  });

  test.each(['soon', '-1', '1.5', ''])('of %j is none', (field) => {
    expect(delay(failure(429, undefined, field))).toBe(250);
  });

  test('of 0 asks for no wait', () => {
    expect(delay(failure(503, undefined, '0'))).toBe(0);
  });
});
