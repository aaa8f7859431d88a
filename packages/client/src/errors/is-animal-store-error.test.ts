import { describe, expect, test, vi } from 'vitest';
import { AnimalStoreError } from './animal-store-error.ts';
import { ApiError } from './api-error.ts';
import { ConnectionError } from './connection-error.ts';
import { createApiError } from './create-api-error.ts';
import { isAnimalStoreError, isApiError } from './is-animal-store-error.ts';

const call = {
  operation: 'listPets',
  method: 'GET',
  url: 'https://store.example/v1/pets',
  attempts: 1,
};

function details(status: number) {
  return { status, code: undefined, detail: 'it failed', headers: new Headers() };
}

describe('isApiError', () => {
  test.each([200, 400, 401, 404, 405, 409, 422, 429, 503])('knows an error of %i', (status) => {
    const error = createApiError(details(status), call);
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, status)).toBe(true);
    expect(isApiError(error, 418)).toBe(false);
  });

  test('knows the errors of another copy of this package', async () => {
    vi.resetModules();
    const copy = await import('./create-api-error.ts');
    const error = copy.createApiError(details(429), call);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, 429)).toBe(true);
    expect(isApiError(error, 404)).toBe(false);
    expect(isAnimalStoreError(error) && error.name).toBe('RateLimitError');
  });

  test.each([
    undefined,
    null,
    'ApiError',
    404,
    {},
    { status: 404, name: 'ApiError' },
    () => {},
    new Error('another'),
    new AnimalStoreError('another', call),
    new ConnectionError('another', call),
  ])('does not take %s for one', (value) => {
    expect(isApiError(value)).toBe(false);
    expect(isApiError(value, 404)).toBe(false);
  });
});

test('isAnimalStoreError knows the errors of this client, and no others', () => {
  expect(isAnimalStoreError(new ConnectionError('no answer', call))).toBe(true);
  expect(isAnimalStoreError(createApiError(details(404), call))).toBe(true);
  expect(isAnimalStoreError(new Error('another'))).toBe(false);
  expect(isAnimalStoreError(undefined)).toBe(false);
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
