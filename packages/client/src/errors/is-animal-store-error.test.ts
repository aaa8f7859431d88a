import { expect, test, vi } from 'vitest';
import { AnimalStoreError } from './animal-store-error.ts';
import { ApiError } from './api-error.ts';
import { ConnectionError } from './connection-error.ts';
import { createApiError } from './create-api-error.ts';
import { isAnimalStoreError, isApiError } from './is-animal-store-error.ts';

const url = 'https://store.example/v1/pets';
const call = { operation: 'listPets', method: 'GET', url, attempts: 1 };
const details = { status: 429, code: undefined, detail: 'it failed', headers: new Headers() };

test('an error is known, also one of another copy of this package', async () => {
  vi.resetModules();
  const copy = await import('./create-api-error.ts');
  const other = copy.createApiError(details, call);
  expect(other).not.toBeInstanceOf(ApiError);
  for (const error of [createApiError(details, call), other]) {
    expect(isAnimalStoreError(error) && error.name).toBe('RateLimitError');
    expect([isApiError(error), isApiError(error, 429), isApiError(error, 404)]).toEqual([
      true,
      true,
      false,
    ]);
  }
});

test.each([
  undefined,
  null,
  'ApiError',
  404,
  { status: 404, name: 'ApiError' },
  () => {},
  new Error('another'),
])('%s is no error of this client', (value) => {
  expect([isAnimalStoreError(value), isApiError(value)]).toEqual([false, false]);
});

test.each([AnimalStoreError, ConnectionError])('%o is no ApiError', (ErrorClass) => {
  const error = new ErrorClass('it failed', call);
  expect(isAnimalStoreError(error)).toBe(true);
  expect([isApiError(error), isApiError(error, 404)]).toEqual([false, false]);
});

test('an error says what the call was doing', () => {
  const error = new AnimalStoreError('it failed', call);
  expect(error).toMatchObject({
    ...call,
    name: 'AnimalStoreError',
    message: 'listPets: it failed',
  });
  expect(error).not.toHaveProperty('cause');
});
