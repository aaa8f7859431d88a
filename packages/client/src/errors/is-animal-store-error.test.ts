import { expect, test, vi } from 'vitest';
import { ConnectionError } from './connection-error.ts';
import { createApiError } from './create-api-error.ts';
import { isAnimalStoreError, isApiError } from './is-animal-store-error.ts';

const url = 'https://store.example/v1/pets';
const call = { operation: 'listPets', method: 'GET', url, attempts: 1 };
const details = { status: 429, code: undefined, detail: 'it failed', headers: new Headers() };

vi.resetModules();
const copy = await import('./create-api-error.ts');
const ofAnotherCopy = copy.createApiError(details, call);

test.each<[unknown, boolean[]]>([
  [createApiError(details, call), [true, true, true, false]],
  // For an error of another copy of this package, `instanceof` is false, as `packaging.test.ts`
  // shows. The tested functions must recognize the error anyway.
  [ofAnotherCopy, [true, true, true, false]],
  [new ConnectionError('it failed', call), [true, false, false, false]],
  [undefined, [false, false, false, false]],
  [{ status: 429, name: 'ApiError' }, [false, false, false, false]],
  [new Error('another'), [false, false, false, false]],
])(
  'isAnimalStoreError, and isApiError for any status, for 429 and for 404, recognize the value %s: %j',
  (error, expected) => {
    const is = [isApiError(error), isApiError(error, 429), isApiError(error, 404)];
    expect([isAnimalStoreError(error), ...is]).toEqual(expected);
  },
);
