import { expect, test } from 'vitest';
import * as client from './index.ts';

test('the exported names are these, and no more', () => {
  expect(Object.keys(client).sort()).toEqual([
    'AbortError',
    'AnimalStoreError',
    'ApiError',
    'AuthenticationError',
    'BadRequestError',
    'ConflictError',
    'ConnectionError',
    'InsufficientScopeError',
    'KeySuspendedError',
    'NotFoundError',
    'RateLimitError',
    'ServerError',
    'TimeoutError',
    'UnprocessableError',
    'createClient',
    'isAnimalStoreError',
    'isApiError',
    'parseJson',
    'stringifyJson',
    'version',
  ]);
});
