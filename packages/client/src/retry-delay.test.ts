import { expect, test, vi } from 'vitest';
import { AbortError } from './errors/abort-error.ts';
import type { AnimalStoreError } from './errors/animal-store-error.ts';
import { createApiError } from './errors/create-api-error.ts';
import { TimeoutError } from './errors/timeout-error.ts';
import { retryDelayMs } from './retry-delay.ts';

const url = 'https://store.example/v1/pets';
const call = { operation: 'listPets', method: 'GET', url, attempts: 1 };

function failure(status: number, code?: string, retryAfter?: string) {
  const headers = new Headers(retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
  return createApiError({ status, code, detail: 'it failed', headers }, call);
}

/** Returns the delays if `Math.random` returns its smallest, its middle and its largest value. */
function delays(error: AnimalStoreError, attempt = 1) {
  return [0, 0.5, 1].map((random) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    return retryDelayMs(error, attempt, 60_000);
  });
}
const none = [undefined, undefined, undefined];

test('retryDelayMs retries only the temporary statuses 408, 429, 500, 502, 503 and 504', () => {
  const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
  const repeated = statuses.filter(
    (status) => delays(failure(status, 'x', '60'))[1] === 63_000 && delays(failure(status))[1],
  );
  expect(repeated).toEqual([408, 429, 500, 502, 503, 504]);
  const others = statuses.filter((status) => !repeated.includes(status));
  expect(others.flatMap((status) => delays(failure(status))[0] ?? [])).toEqual([]);
});

test.each<[AnimalStoreError, number, (number | undefined)[]]>([
  [failure(409, 'idempotency_in_progress'), 1, [0, 250, 500]],
  [failure(429, 'key_temporarily_banned', '1'), 1, none],
  // A `TimeoutError` is a `ConnectionError`, so all connection errors have these delays.
  [new TimeoutError('no answer in time', call), 1, [0, 250, 500]],
  [new AbortError('aborted', call), 1, none],
  [failure(500), 2, [0, 500, 1_000]],
  [failure(500), 5, [0, 4_000, 8_000]],
  [failure(500), 50, [0, 4_000, 8_000]],
  [failure(503, 'x', '60'), 5, [60_000, 63_000, 66_000]],
  [failure(503, 'x', '61'), 1, none],
  [failure(503, 'x', '0'), 1, [0, 0, 0]],
  [failure(503, 'x', 'soon'), 1, [0, 250, 500]],
])(
  'after the error %s in attempt %i, retryDelayMs returns %j for the smallest, middle and largest random number',
  (error, attempt, expected) => {
    expect(delays(error, attempt)).toEqual(expected);
  },
);
