import { expect, test } from 'vitest';
import { contract } from './contract.ts';
import { deprecations } from './deprecations.ts';
import { apiVersion, routes } from './routes.ts';

test('the operations are the three of the specification', () => {
  expect(apiVersion).toBe('v1');
  expect(routes).toEqual({
    listPets: { method: 'GET', path: '/pets' },
    createPet: { method: 'POST', path: '/pets' },
    getPet: { method: 'GET', path: '/pets/:petId' },
  });
  expect(Object.keys(contract)).toEqual(Object.keys(routes));
  for (const [name, { method, path }] of Object.entries(contract)) {
    expect({ method, path }).toEqual(routes[name as keyof typeof routes]);
  }
});

test('each operation has exactly these statuses, and no others compile', () => {
  const statuses = Object.entries(contract).map(([name, { responses, strictStatusCodes }]) => {
    expect(strictStatusCodes, name).toBe(true);
    return [name, Object.keys(responses).map(Number)];
  });
  expect(Object.fromEntries(statuses)).toEqual({
    listPets: [200, 400, 401, 403, 429, 500, 503],
    createPet: [201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
    getPet: [200, 400, 401, 403, 404, 429, 500, 503],
  });
});

test('getPet is deprecated and ends on 5 December 2030', () => {
  expect(contract.getPet.deprecated).toBe(true);
  expect(deprecations.getPet.sunsetAt.toUTCString()).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(deprecations.getPet.successor).toEqual({ path: '/pets?ids=:petId' });
  expect(Object.keys(deprecations)).toEqual(['getPet']);
});
