import { expect, test } from 'vitest';
import * as contract from './index.ts';

test('the exported names are these, and no more', () => {
  expect(Object.keys(contract).sort()).toEqual([
    'ErrorBody',
    'ListPetsQuery',
    'NewPet',
    'Pet',
    'PetStatus',
    'Pets',
    'apiVersion',
    'contract',
    'deprecations',
    'errorStatus',
    'findLink',
    'formatLinks',
    'formatRateLimit',
    'int64Max',
    'int64Min',
    'maxMessageBytes',
    'maxPetId',
    'nameLength',
    'normalizeInt64',
    'pageLimit',
    'parseInt64',
    'parseJson',
    'parseRateLimit',
    'planNames',
    'plans',
    'rateLimitHeaders',
    'routes',
    'stringifyJson',
    'windowSeconds',
  ]);
});
