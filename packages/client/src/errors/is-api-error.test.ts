import { describe, expect, test, vi } from 'vitest';
import { AnimalStoreError } from './animal-store-error.ts';
import { ApiError } from './api-error.ts';
import { ConnectionError } from './connection-error.ts';
import { createApiError } from './create-api-error.ts';
import { isApiError } from './is-api-error.ts';

function details(status: number) {
  return { status, code: undefined, message: 'it failed', headers: new Headers() };
}

describe('isApiError', () => {
  test.each([200, 400, 401, 404, 405, 409, 422, 429, 503])('knows an error of %i', (status) => {
    const error = createApiError(details(status));
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, status)).toBe(true);
    expect(isApiError(error, 418)).toBe(false);
  });

  test('knows the errors of another copy of this package', async () => {
    vi.resetModules();
    const copy = await import('./create-api-error.ts');
    const error = copy.createApiError(details(429));
    expect(error).not.toBeInstanceOf(ApiError);
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, 429)).toBe(true);
    expect(isApiError(error, 404)).toBe(false);
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
    new AnimalStoreError('another'),
    new ConnectionError('another'),
  ])('does not take %s for one', (value) => {
    expect(isApiError(value)).toBe(false);
    expect(isApiError(value, 404)).toBe(false);
  });
});

test('the base has its own name', () => {
  expect(new AnimalStoreError('any')).toMatchObject({ name: 'AnimalStoreError', message: 'any' });
});
