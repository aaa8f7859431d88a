import { initClient } from '@ts-rest/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { contract, exactBody, exactJsonApi } from '../src/index.ts';

// A ts-rest client of the contract, as the README shows it.

const pet = '{"id":1,"name":"Mia","categoryId":9007199254740993,"status":"available"}';
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

test('integers beyond 2^53 are sent and read exactly, and no body where there is none', async () => {
  const answer = await client.createPet({
    headers: { 'idempotency-key': 'once' },
    body: exactBody({ name: 'Mia', categoryId: 9007199254740993n }),
  });
  expect(answer).toMatchObject({
    status: 201,
    body: { id: 1, name: 'Mia', categoryId: 9007199254740993n, status: 'available' },
  });
  expect(fetch.mock.calls[0]).toMatchObject([
    'https://store.example/v1/pets',
    {
      method: 'POST',
      headers: {
        authorization: 'Bearer key',
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: '{"name":"Mia","categoryId":9007199254740993}',
    },
  ]);
  await client.createPet({ headers: {}, body: { name: 'Mia', categoryId: 3 } });
  await client.getPet({ params: { petId: 9007199254740993n } });
  expect(fetch.mock.calls.slice(1).map(([url, init]) => [url, init?.body])).toEqual([
    ['https://store.example/v1/pets', '{"name":"Mia","categoryId":3}'],
    ['https://store.example/v1/pets/9007199254740993', undefined],
  ]);
});
