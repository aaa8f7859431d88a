import { afterEach, describe, expect, test, vi } from 'vitest';
import { AbortError } from './errors/abort-error.ts';
import type { AnimalStoreError } from './errors/animal-store-error.ts';
import { ConnectionError } from './errors/connection-error.ts';
import { createApiError } from './errors/create-api-error.ts';
import { TimeoutError } from './errors/timeout-error.ts';
import { retryDelayMs } from './retry-delay.ts';

const url = 'https://store.example/v1/pets';
const call = { operation: 'listPets', method: 'GET', url, attempts: 1 };

function failure(status: number, code?: string, retryAfter?: string) {
  const headers = new Headers(retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
  return createApiError({ status, code, detail: 'it failed', headers }, call);
}

function delay(error: AnimalStoreError, { attempt = 1, random = 0.5 } = {}) {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  return retryDelayMs(error, attempt, 60_000);
}

afterEach(() => vi.restoreAllMocks());

test('statuses of the moment are tried again, and no others', () => {
  const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
  const repeated = statuses.filter((status) => delay(failure(status)) !== undefined);
  expect(repeated).toEqual([408, 429, 500, 502, 503, 504]);
});

test.each([
  [failure(409, 'idempotency_in_progress'), 250],
  [failure(409, 'another_conflict'), undefined],
  [failure(429, 'key_temporarily_banned', '1'), undefined],
  [new ConnectionError('no answer', call), 250],
  [new TimeoutError('no answer in time', call), 250],
  [new AbortError('aborted', call), undefined],
])('%s is tried again after %s ms', (error, expected) => {
  expect(delay(error)).toBe(expected);
});

describe('the back-off', () => {
  test.each([
    [1, 500],
    [2, 1_000],
    [4, 4_000],
    [5, 8_000],
    [6, 8_000],
    [50, 8_000],
  ])('after attempt %i is anything up to %i ms', (attempt, most) => {
    const delays = [0, 0.25, 1].map((random) => delay(failure(500), { attempt, random }));
    expect(delays).toEqual([0, most / 4, most]);
  });
});

describe('Retry-After', () => {
  test.each([408, 429, 500, 502, 503, 504])(
    'of a %i is waited for up to the maximum, and up to a tenth longer',
    (status) => {
      const delays = [0, 0.5, 1].map((random) => delay(failure(status, 'x', '60'), { random }));
      expect(delays).toEqual([60_000, 63_000, 66_000]);
      expect(delay(failure(status, 'x', '30'), { attempt: 5, random: 0 })).toBe(30_000);
      expect(delay(failure(status, 'x', '61'))).toBeUndefined();
      expect(delay(failure(status, 'x', '0'))).toBe(0);
      expect(delay(failure(status, 'x', 'soon'))).toBe(250);
    },
  );
});
