import { initClient } from '@ts-rest/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { contract, exactBody, exactJsonApi } from '../src/index.ts';

// A ts-rest client of the contract, as the README shows it.

const pet = '{"id":1,"name":"Mia","categoryId":9007199254740993,"status":"available"}';
const exact = { id: 1, name: 'Mia', categoryId: 9007199254740993n, status: 'available' };
const fetch = vi.fn<typeof globalThis.fetch>();
const client = initClient(contract, {
  baseUrl: 'https://store.example/v1',
  baseHeaders: { Authorization: 'Bearer key' },
  api: exactJsonApi,
});

beforeEach(() => {
  vi.stubGlobal('fetch', fetch);
  fetch.mockReset().mockImplementation(async () => {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    return new Response(pet, { status: 201, headers });
  });
});

afterEach(() => vi.unstubAllGlobals());

test('sends and reads a category beyond 2^53 exactly', async () => {
  const answer = await client.createPet({
    headers: { 'idempotency-key': 'once' },
    body: exactBody({ name: 'Mia', categoryId: 9007199254740993n }),
  });
  expect(answer).toMatchObject({ status: 201, body: exact });
  const [url, init] = fetch.mock.calls[0] ?? [];
  expect(url).toBe('https://store.example/v1/pets');
  expect(init).toMatchObject({
    method: 'POST',
    headers: {
      authorization: 'Bearer key',
      'content-type': 'application/json',
      'idempotency-key': 'once',
    },
    body: '{"name":"Mia","categoryId":9007199254740993}',
  });
});

test('sends a body that needs no exactness as it is, and none where there is none', async () => {
  await client.createPet({ headers: {}, body: { name: 'Mia', categoryId: 3 } });
  await client.listPets({ query: { limit: 5 } });
  await client.getPet({ params: { petId: 9007199254740993n } });
  expect(fetch.mock.calls.map(([url, init]) => [url, init?.body])).toEqual([
    ['https://store.example/v1/pets', '{"name":"Mia","categoryId":3}'],
    ['https://store.example/v1/pets?limit=5', undefined],
    ['https://store.example/v1/pets/9007199254740993', undefined],
  ]);
});
